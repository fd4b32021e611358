import type { FailureCode } from '../../contract/failures.ts'

/** Why a message failed, and advice. */
export const failures = {
  recipient_not_on_whatsapp: {
    message: 'Nomor ini tidak terdaftar di WhatsApp.',
    hint: 'Periksa lagi nomornya dengan pelanggan.',
  },
  account_restricted: {
    message: 'WhatsApp membatasi chat baru dari nomor ini.',
    hint: 'Pelanggan lama tetap menerima pesan. Tunggu sampai pembatasan berakhir sebelum menghubungi yang baru.',
  },
  not_acknowledged: {
    message: 'WhatsApp tidak pernah mengonfirmasi pesan ini.',
    hint: 'Mungkin sampai, mungkin tidak. Periksa chat di ponsel sebelum mengirim ulang.',
  },
  expired: {
    message: 'Pesan menunggu lebih lama dari batas waktunya.',
    hint: 'Lihat mengapa pesan menunggu: biasanya pengirim tidak tersambung. Lalu kirim lagi.',
  },
  refused_by_whatsapp: {
    message: 'WhatsApp menolak pesan ini.',
    hint: 'Coba lagi nanti; kodenya menyebut alasan penolakan.',
  },
  send_failed: {
    message: 'Pesan tidak dapat disiapkan untuk dikirim.',
    hint: 'Lihat alasannya di riwayat percobaan pesan ini.',
  },
  recipient_opted_out: {
    message: 'Pelanggan tidak mau menerima pesan seperti ini.',
    hint: 'Kirim lagi hanya kalau pelanggan memintanya.',
  },
  not_in_group: {
    message: 'Pengirim ini bukan anggota grup.',
    hint: 'Minta anggota grup menambahkan nomornya di ponsel, lalu kirim lagi.',
  },
  group_closed: {
    message: 'Hanya admin yang boleh menulis di grup ini, atau anggotanya lebih dari 1.024.',
    hint: 'Jadikan pengirim ini admin grup di ponsel, atau izinkan semua anggota menulis.',
  },
  group_unknown: {
    message: 'WhatsApp tidak mengenal grup ini.',
    hint: 'Lihat ID grup di halaman pengirimnya; grup yang sudah dihapus tidak ada lagi.',
  },
  sender_deleted: { message: 'Pengirim pesan ini sudah dihapus.', hint: 'Kirim lewat pengirim lain.' },
  media_unreachable: {
    message: 'File tidak dapat diunduh.',
    hint: 'Buka alamatnya di browser pada PC ini untuk memeriksa.',
  },
  media_too_large: {
    message: 'File terlalu besar untuk WhatsApp.',
    hint: 'Gambar dan audio paling besar 16 MB, video 64 MB, file lain 100 MB.',
  },
  media_blocked: {
    message: 'Alamat file belum diizinkan.',
    hint: 'Jika itu server Anda sendiri, izinkan alamatnya di Pengaturan.',
  },
  media_invalid: {
    message: 'Alamat itu tidak memberi file yang bisa dipakai.',
    hint: 'Periksa tautannya: harus langsung menuju file.',
  },
  media_gone: {
    message: 'File yang dikirim bersama pesan ini sudah tidak ada di PC ini.',
    hint: 'Kirim lagi dari program Anda beserta filenya.',
  },
  template_not_sendable: {
    message: 'Template tidak dapat dikirim seperti ini.',
    hint: 'Periksa status, bahasa, dan variabelnya.',
  },
  provider_auth_failed: {
    message: 'Meta menolak token akses.',
    hint: 'Masukkan token yang berlaku untuk pengirim ini.',
  },
  provider_rate_limited: {
    message: 'Meta membatasi kecepatan kirim nomor ini.',
    hint: 'Kirim lebih pelan, atau kirim lagi setelah waktu yang disebut.',
  },
  provider_unavailable: {
    message: 'Meta tidak dapat dihubungi atau sedang bermasalah.',
    hint: 'Kirim lagi beberapa menit kemudian.',
  },
  provider_rejected: {
    message: 'Meta menolak pesan ini.',
    hint: 'Rinciannya menyebut apa yang salah pada permintaan atau template.',
  },
  delivery_failed: { message: 'WhatsApp tidak dapat mengantar pesan ini.', hint: 'Rinciannya menyebut alasannya.' },
  outcome_unknown: {
    message: 'Meta tidak menjawab, dan tidak ada status yang datang.',
    hint: 'Mungkin sampai, mungkin tidak. Tanyakan kepada pelanggan sebelum mengirim ulang.',
  },
  no_final_status: { message: 'Tidak ada status akhir dalam 30 hari.', hint: 'Pelanggan mungkin tidak pernah online.' },
} as const satisfies Record<FailureCode, { message: string; hint: string }>

/** The same, short enough for a list within a sentence. */
export const reasons = {
  recipient_not_on_whatsapp: 'tidak ada di WhatsApp',
  account_restricted: 'WhatsApp membatasi chat baru',
  not_acknowledged: 'tidak dikonfirmasi WhatsApp',
  expired: 'terlalu lama menunggu',
  refused_by_whatsapp: 'ditolak WhatsApp',
  send_failed: 'tidak dapat disiapkan',
  recipient_opted_out: 'pelanggan tidak mau menerima',
  not_in_group: 'bukan anggota grup',
  group_closed: 'hanya admin yang menulis',
  group_unknown: 'grup tidak dikenal',
  sender_deleted: 'pengirim dihapus',
  media_unreachable: 'file tidak dapat diunduh',
  media_too_large: 'file terlalu besar',
  media_blocked: 'alamat file belum diizinkan',
  media_invalid: 'file tidak bisa dipakai',
  media_gone: 'file sudah tidak ada di PC ini',
  template_not_sendable: 'template tidak cocok',
  provider_auth_failed: 'akses ditolak Meta',
  provider_rate_limited: 'terlalu cepat bagi Meta',
  provider_unavailable: 'Meta tidak dapat dihubungi',
  provider_rejected: 'ditolak Meta',
  delivery_failed: 'tidak dapat diantar WhatsApp',
  outcome_unknown: 'Meta tidak menjawab',
  no_final_status: 'tanpa status selama 30 hari',
} as const satisfies Record<FailureCode, string>
