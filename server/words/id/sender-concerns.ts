import type { ConcernTexts } from '../text.ts'

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

const STATUS_UNKNOWN =
  'Pesan tetap terkirim, tetapi Kurir tidak tahu apakah pesan itu sampai: statusnya tetap “Diproses Meta”.'

/** Concerns of an official number. */
export const official = {
  token_refused: {
    title: 'Meta menolak token akses {name}.',
    meaning: NOTHING_LEAVES,
    advice: 'Buat token akses baru untuk system user di Meta Business Settings, lalu simpan di pengirim ini.',
  },
  secrets_unreadable: {
    title: 'Token dan App secret {name} tidak dapat dibuka di PC ini.',
    meaning: `Folder datanya berasal dari PC lain, atau kuncinya diganti. ${NOTHING_LEAVES}`,
    advice: 'Masukkan lagi token akses, app secret, dan verify token.',
  },
  missing_permissions: {
    title: 'Izin token akses {name} belum lengkap.',
    meaning: NOTHING_LEAVES,
    advice:
      'Beri system user izin whatsapp_business_messaging dan whatsapp_business_management, buat token baru, lalu simpan di pengirim ini.',
  },
  wrong_ids: {
    title: 'Meta tidak mengenal ID {name}.',
    meaning: NOTHING_LEAVES,
    advice: 'Cocokkan ID nomor telepon dan ID akun dengan WhatsApp Manager.',
  },
  not_registered: {
    title: 'Nomor {name} belum terdaftar di Meta.',
    meaning: NOTHING_LEAVES,
    advice: 'Daftarkan dengan PIN enam digitnya.',
  },
  account_deleted: {
    title: 'Akun {name} sudah dihapus di Meta.',
    meaning: NOTHING_LEAVES,
    advice: 'Buat akun lain di Meta, atau kirim lewat pengirim lain.',
  },
  account_offboarded: {
    title: 'Akun {name} diputus dari Cloud API.',
    meaning: NOTHING_LEAVES,
    advice: 'Sambungkan lagi di Meta Business Settings.',
  },
  account_disabled: {
    title: 'Meta menonaktifkan akun {name}.',
    meaning: NOTHING_LEAVES,
    advice: 'Buka Business Support Home di Meta dan minta peninjauan.',
  },
  account_locked: {
    title: 'Meta mengunci akun {name}.',
    meaning: 'Tidak ada yang terkirim. Kurir mencoba lagi[: {until}].',
    advice: 'Buka Business Support Home di Meta: di sana tertulis apa yang harus dilakukan.',
  },
  account_unpaid: {
    title: 'Meta tidak dapat menagih {name}.',
    meaning: 'Tidak ada yang terkirim. Kurir mencoba lagi[: {until}].',
    advice: 'Periksa metode pembayaran di WhatsApp Manager, bagian penagihan.',
  },
  account_reported: {
    title: 'Meta menahan {name}: terlalu banyak orang memblokir atau melaporkannya.',
    meaning: 'Tidak ada yang terkirim. Kurir mencoba lagi[: {until}].',
    advice: 'Kurangi kiriman, hanya kepada yang menantikannya. WhatsApp Manager menunjukkan kualitas nomornya.',
  },
  category_violation: {
    title: 'Meta menahan {name}: template utility-nya berisi promosi.',
    meaning: 'Tidak ada yang terkirim. Kurir mencoba lagi[: {until}].',
    advice: 'Perbaiki kategori template itu di WhatsApp Manager. Setelah beberapa waktu Meta mengakhirinya sendiri.',
  },
  name_unapproved: {
    title: 'Meta belum menyetujui nama tampilan {name}.',
    meaning: 'Tidak ada yang terkirim. Kurir mencoba lagi[: {until}].',
    advice: 'Mintakan persetujuan nama tampilan di WhatsApp Manager.',
  },
  account_restricted: {
    title: 'Meta membatasi akun {name}[ sampai {until}].',
    meaning: 'Selama itu, pesan di luar balasan chat (tagihan, pengingat) tidak dapat dikirim.',
    advice: 'Buka Business Support Home di Meta: di sana ada alasannya dan cara meminta peninjauan.',
  },
  number_blocked: {
    title: 'Meta tidak mengizinkan {name} mengirim.',
    meaning: NOTHING_LEAVES,
    advice: 'Buka nomor ini di WhatsApp Manager: alasannya tertulis di sana.',
  },
  wrong_app_secret: {
    title: 'App secret {name} salah.',
    meaning: STATUS_UNKNOWN,
    advice: 'Salin app secret dari dasbor aplikasi di Meta, lalu simpan di pengirim ini.',
  },
  callbacks_refused: {
    title: '{count} callback Meta untuk {name} ditolak: tanda tangannya salah.',
    meaning: STATUS_UNKNOWN,
    advice: 'Masukkan app secret dari aplikasi yang memanggil. Jika bukan aplikasi Anda, ada pihak lain yang mencoba.',
  },
  statuses_cannot_arrive: {
    title: 'Meta tidak dapat melapor ke {name} apakah pesan sampai.',
    meaning: STATUS_UNKNOWN,
    advice: 'Siapkan alamat publik: tunnel ke port webhook, isi di Pengaturan dan di Meta.',
  },
  no_status_heard: {
    title: 'Meta belum melaporkan status ke {name} sejak {since}, padahal ada pesan yang terkirim.',
    meaning: STATUS_UNKNOWN,
    advice: 'Periksa apakah tunnel berjalan dan aplikasinya berlangganan “messages”.',
  },
  account_disable_scheduled: {
    title: 'Meta akan menonaktifkan akun {name}[ pada {until}].',
    meaning: 'Sampai saat itu pengiriman masih berjalan.',
    advice: 'Buka Business Support Home di Meta dan minta peninjauan.',
  },
  token_expires: {
    title: 'Token akses {name} akan berakhir[ pada {until}].',
    meaning: 'Setelah itu tidak ada yang dapat dikirim.',
    advice: 'Buat token tanpa batas waktu untuk system user di Meta Business Settings, lalu simpan di pengirim ini.',
  },
  account_violation: {
    title: 'Meta melaporkan bahwa {name} melanggar aturan[: {detail}].',
    meaning: 'Pengiriman masih berjalan. Pelanggaran berulang berujung pada pembatasan.',
    advice: 'Baca aturannya di Business Support Home di Meta dan ubah isi pesannya.',
  },
  account_limited: {
    title: 'Meta membatasi sebagian akun {name}[: {detail}].',
    meaning: 'Yang tidak disebut di sini tetap dapat dikirim.',
    advice: 'Buka Business Support Home di Meta: di sana ada alasannya.',
  },
  account_alert: {
    title: 'Ada pemberitahuan dari Meta tentang akun {name}[: {detail}].',
    meaning: 'Pengiriman masih berjalan.',
    advice: 'Buka WhatsApp Manager: di sana tertulis apa yang harus dilakukan.',
  },
  security_event: {
    title: 'Pengaturan keamanan {name} diubah di Meta[: {detail}].',
    meaning: 'Pengiriman masih berjalan.',
    advice: 'Jika bukan Anda, segera ganti PIN nomor ini di WhatsApp Manager.',
  },
  quality_red: {
    title: 'Kualitas {name} di Meta rendah.',
    meaning:
      'Terlalu banyak orang memblokir atau melaporkan pesannya. Meta dapat menurunkan batas atau memblokir nomornya.',
    advice: 'Kurangi pesan, dan hanya kirim kepada orang yang menunggunya, sampai kualitasnya pulih.',
  },
  template_paused: {
    title: '{count} template {name} tidak dapat dikirim lagi.',
    meaning: 'Meta menjeda, menonaktifkan, atau menolaknya. Pesan dengan template itu ditolak.',
    advice: 'Buka WhatsApp Manager: alasannya tertulis di sana. Sementara itu pakai template lain.',
  },
  template_quality_low: {
    title: 'Kualitas {count} template {name} rendah[: {detail}].',
    meaning: 'Meta menjeda template jika kualitasnya tetap rendah.',
    advice: 'Ubah isinya di WhatsApp Manager, atau kirim ke lebih sedikit orang.',
  },
  checks_failing: {
    title: '{name}: pemeriksaan “{check}” gagal.',
    meaning: '{risk}',
    advice: 'Buka pengirim ini: langkahnya tertulis di sana.',
  },
  messaging_limit_near: {
    title: 'Batas orang yang boleh dihubungi {name} lebih dulu hampir tercapai[ ({detail})].',
    meaning:
      'Setelah itu Meta menolak sampai sebagian dari 24 jam terakhir berlalu. Batas ini dipakai bersama oleh semua nomor bisnis Anda.',
    advice: 'Kirim yang kurang mendesak besok.',
  },
  graph_version_ends: {
    title: 'Meta akan mematikan antarmuka yang dipakai Kurir[ pada {until}].',
    meaning: 'Setelah itu pesan resmi bisa gagal.',
    advice: 'Perbarui Kurir sebelum itu.',
  },
  template_category_changed: {
    title: 'Meta akan mengubah kategori {count} template {name}.',
    meaning: 'Harga pesan bergantung pada kategorinya.',
    advice: 'Lihat template-nya di WhatsApp Manager.',
  },
  messaging_limit_changed: {
    title: 'Meta mengubah batas orang yang boleh dihubungi {name} lebih dulu[: {detail}].',
    meaning: 'Batas ini dipakai bersama oleh semua nomor bisnis Anda.',
    advice: 'Tidak perlu berbuat apa-apa.',
  },
  name_approved: {
    title: 'Meta menyetujui nama tampilan {name}[: {detail}].',
    meaning: 'Pelanggan melihatnya setelah nomor didaftarkan ulang.',
    advice: 'Daftarkan ulang nomor ini dengan PIN enam angkanya.',
  },
} as const satisfies ConcernTexts
