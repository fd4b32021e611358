import type { ConcernTexts } from '../concern-shape.ts'

export const NOTHING_LEAVES = 'Nomor ini tidak dapat mengirim sampai masalahnya selesai.'

/** Concerns of a linked number. */
export const linked = {
  banned: {
    title: 'WhatsApp memblokir {name} secara permanen.',
    meaning: NOTHING_LEAVES,
    advice:
      'Buka WhatsApp di ponsel dan minta peninjauan di sana. Jangan tautkan lagi sebelum blokirnya dicabut. Yang mendesak, kirim lewat pengirim lain.',
  },
  locked: {
    title: 'WhatsApp mengunci {name}.',
    meaning: NOTHING_LEAVES,
    advice:
      'Buka WhatsApp di ponsel dan ikuti permintaannya. Setelah itu tekan “Di ponsel sudah bisa lagi: sambungkan” di pengirim ini. Jangan tautkan lagi sebelum itu.',
  },
  temporarily_banned: {
    title: 'WhatsApp memblokir {name}[ sampai {until}].',
    meaning: 'Kurir menunggu sampai waktu itu lalu lanjut otomatis.',
    advice:
      'Jangan tautkan lagi dan jangan kirim dengan program lain: blokirnya bisa bertambah lama. Setelah itu, kirim pesan pertama ke lebih sedikit orang.',
  },
  removed_by_whatsapp: {
    title: 'WhatsApp sepertinya memutus {name}.',
    meaning: 'Ini terjadi tidak lama setelah WhatsApp membatasi nomor ini.',
    advice:
      'Jangan tautkan lagi hari ini: nomornya bisa diblokir. Buka WhatsApp di ponsel, lihat pesannya, lalu tunggu sehari.',
  },
  restricted: {
    title: 'WhatsApp memblokir {name}.',
    meaning: NOTHING_LEAVES,
    advice:
      'Buka WhatsApp di ponsel: di sana ada alasan dan jalan keluarnya. Jangan tautkan lagi sebelum bisa dipakai di ponsel.',
  },
  logged_out: {
    title: 'Tautan {name} diputus dari ponsel.',
    meaning: 'Pesan menunggu paling lama tujuh hari dan terkirim setelah nomornya ditautkan lagi.',
    advice: 'Tautkan lagi dengan ponsel yang sama.',
  },
  session_unreadable: {
    title: 'Tautan {name} yang tersimpan tidak dapat dibaca.',
    meaning:
      'Berkasnya rusak atau dibuat dengan kunci lain. Pesan menunggu paling lama tujuh hari dan terkirim setelah nomornya ditautkan lagi.',
    advice: 'Tautkan lagi dengan ponsel yang sama. Jika terjadi lagi, periksa disk PC ini.',
  },
  other_phone: {
    title: '{name} ditautkan dengan nomor lain[: {detail}].',
    meaning: 'Pesannya ditahan sampai Anda memutuskan apakah boleh dikirim dari nomor itu.',
    advice: 'Bandingkan nomornya. Jika salah ponsel, putuskan tautannya dan tautkan ponsel yang benar.',
  },
  replaced: {
    title: '{name} dipakai program lain.',
    meaning: 'WhatsApp mengizinkan satu sambungan per tautan, dan program lain sedang memakainya.',
    advice: 'Tutup program lain itu, biasanya Kurir kedua dengan data yang sama, lalu pakai nomornya di sini.',
  },
  passkey_required: {
    title: 'WhatsApp meminta passkey sebelum menautkan {name}.',
    meaning: 'Nomor tertaut setelah Anda mengonfirmasi dengan passkey akun WhatsApp-nya, dalam sepuluh menit.',
    advice:
      'Buka halaman penautan nomor ini dan ikuti langkahnya. Jika passkey tidak bisa dipakai, pakai API resmi atau nomor lain.',
  },
  pairing_code_refused: {
    title: 'WhatsApp menolak kode penautan untuk {name}.',
    meaning: 'Nomor ini belum tertaut.',
    advice: 'Periksa nomornya, tunggu seperempat jam, atau tautkan dengan kode QR.',
  },
  unlinked: {
    title: '{name} belum tertaut ke ponsel.',
    meaning: 'Pesan dari program Anda lewat nomor ini menunggu paling lama tujuh hari.',
    advice: 'Tautkan lewat WhatsApp di ponsel.',
  },
  protocol_outdated: {
    title: 'WhatsApp tidak menerima lagi versi Kurir ini: {name} tidak dapat tersambung.',
    meaning: 'Kurir mencoba sekali sehari dengan protokol terbaru yang dikenalnya.',
    advice: 'Perbarui Kurir.',
  },
  refused_by_whatsapp: {
    title: 'WhatsApp menolak sambungan {name}.',
    meaning: 'Kurir mencoba lagi setiap jam.',
    advice: 'Tunggu. Jika lebih dari sehari, perbarui Kurir. Jangan tautkan lagi.',
  },
  untrusted_server: {
    title: '{name} tidak dapat tersambung: ada yang menjawab di jaringan sebagai WhatsApp.',
    meaning: 'Kurir tidak memercayainya dan terus mencoba.',
    advice: 'Periksa halaman login Wi-Fi, proxy, atau antivirus yang membuka sambungan terenkripsi.',
  },
  offline: {
    title: '{name} tidak dapat menjangkau WhatsApp[ sejak {since}]. Apakah PC ini online?',
    meaning: 'Kurir terus mencoba dan lanjut sendiri.',
    advice: 'Periksa koneksi internet PC ini.',
  },
  offline_alone: {
    title: 'WhatsApp tidak menerima sambungan {name}[ sejak {since}]. Nomor lain di PC ini tersambung.',
    meaning: 'Bukan koneksi internet PC ini. Kurir terus mencoba dan lanjut sendiri.',
    advice: 'Tunggu. Kalau berjam-jam, buka WhatsApp di ponsel nomor ini.',
  },
  wrong_numbers: {
    title:
      'Banyak nomor berturut-turut tidak ada di WhatsApp: pesan ke nomor baru dari {name} ditahan[ sampai {until}].',
    meaning: 'Menanyakan banyak nomor salah terlihat seperti spam bagi WhatsApp. Pelanggan lama tetap menerima pesan.',
    advice: 'Periksa nomor-nomor di program Anda. Kurir akan lanjut sendiri.',
  },
  new_chats_capped: {
    title: 'Jatah chat baru {name} dari WhatsApp sudah habis[ sampai {until}].',
    meaning: 'Pelanggan lama tetap menerima pesan. Pesan ke nomor baru ditahan, lalu terkirim otomatis.',
    advice: 'Anda tidak perlu berbuat apa-apa. Mulai sekarang, kirim pesan pertama ke lebih sedikit orang.',
  },
  new_link: {
    title: '{name} baru ditautkan beberapa menit lalu: pesan ke nomor baru ditahan[ sampai {until}].',
    meaning: 'Kurir masih membaca chat nomor ini. Sebelum itu, WhatsApp menganggap pelanggan lama sebagai orang asing.',
    advice: 'Biarkan ponsel menyala dan tersambung ke internet. Kurir akan lanjut sendiri.',
  },
  reach_out_lock: {
    title: 'WhatsApp membatasi chat baru dari {name}[ sampai {until}].',
    meaning: 'Pelanggan lama tetap menerima pesan. Pesan ke nomor baru ditahan, lalu terkirim otomatis.',
    advice: 'Anda tidak perlu berbuat apa-apa. Mulai sekarang, kirim pesan pertama ke lebih sedikit orang.',
  },
  new_chats_nearly_used: {
    title: 'Jatah chat baru {name} dari WhatsApp hampir habis[ ({detail})].',
    meaning: 'Jika habis, pesan ke nomor baru akan ditahan.',
    advice: 'Untuk sementara, kirim pesan pertama ke lebih sedikit orang.',
  },
} as const satisfies ConcernTexts
