import type { FailureCode } from '../../contract/failures.ts'
import type { Status } from '../../contract/messages.ts'

export const statuses = {
  queued: 'Menunggu',
  accepted: 'Diproses Meta',
  sending: 'Sedang dikirim',
  sent: 'Terkirim',
  delivered: 'Sampai',
  read: 'Dibaca',
  failed: 'Gagal',
  cancelled: 'Dibatalkan',
} as const satisfies Record<Status, string>

/** Titles of the columns of a table for people. */
export const columns = {
  accepted: 'Masuk antrean',
  sender: 'Pengirim',
  number: 'Nomor',
  status: 'Status',
  since: 'Status sejak',
  message: 'Pesan',
  file: 'File',
  reference: 'Referensi',
  why: 'Sebab gagal',
} as const

/** Reasons why a row of a table does not become a message. */
export const tableProblems = {
  no_number: 'Baris ini tidak punya nomor.',
  shortened: 'Nomor ini disingkat oleh spreadsheet menjadi {value}. Jadikan kolomnya teks, lalu salin lagi.',
  zero_lost: '{value} tidak punya angka 0 di depan dan tidak punya kode negara.',
  no_country_code: '{value} tidak punya kode negara, dan negara pengirim ini belum diatur.',
  not_a_phone: '{value} bukan nomor telepon dan bukan grup pengirim ini.',
  group_no_marketing: '{value} adalah grup. Promosi tidak dikirim ke grup.',
  twice: '{value} sudah mendapat pesan yang sama di baris sebelumnya.',
  opted_out: '{value} tidak mau menerima pesan ini.',
  empty_field: 'Kolom “{value}” kosong, padahal dipakai di pesan.',
  empty_message: 'Pesannya kosong, dan tidak ada file.',
  too_long: 'Pesannya {value} karakter. Batas WhatsApp 4096.',
  file_missing: 'Tidak ada file bernama {value}.',
  file_gone: 'Filenya sudah tidak disimpan. Pilih filenya lagi di tabel baru.',
  refused: 'Kurir tidak bisa menerimanya: {value}',
} as const

/** Results of a row, besides the status of its message. */
export const tableKinds = {
  refused: 'Tidak dikirim',
  waiting: 'Belum di antrean',
  stopped: 'Dihentikan',
  removed: 'Sudah dihapus',
} as const

/** Entry in the list of rows that are not sent. */
export const tableLine = 'Baris {line}: {problem}'

/** Reasons why a file in the drop folder is not sent. */
export const dropReasons = {
  no_number: 'Nama file tidak diawali nomor telepon. Contoh yang benar: 0812-3456-7890 INV-1001.pdf',
  several_numbers:
    'Kurir tidak tahu di mana nomor teleponnya berakhir. Tulis nomornya tanpa spasi, lalu satu spasi: 081234567890 1001.pdf',
  bad_number: 'Nomor di awal nama file bukan nomor telepon. Perbaiki dulu.',
  no_country_code:
    'Nomornya tanpa kode negara, dan negara pengirim belum diatur. Awali nama file dengan kode negara, misalnya 6281234567890.',
  no_reference: 'Teks untuk pelanggan menyebut referensi, tetapi nama file ini tidak punya. Tulis setelah nomor.',
  bad_name: 'Nama file berisi huruf yang tidak dapat dipakai Kurir. Ganti namanya.',
  not_this_kind: 'Dari folder ini Kurir mengirim PDF, gambar (JPG, PNG, WebP), dan baris tabel (CSV, XLSX).',
  link: 'Ini tautan, atau file yang juga punya nama di tempat lain. Taruh salinannya di sini.',
  empty: 'File ini kosong.',
  too_large: 'File ini lebih besar dari batas WhatsApp: 100 MB untuk PDF, 16 MB untuk gambar.',
  sent_before: 'File ini sudah pernah diambil dengan nama yang sama. Untuk mengirim sekali lagi, ganti namanya.',
  refused: 'Kurir tidak dapat membuat pesan dari file ini.',
  message_failed: 'Pesannya gagal. Lihat alasannya di halaman Pesan di Kurir.',
  table_unreadable: 'Ini bukan tabel yang dapat dibaca Kurir, atau tidak ada barisnya. Simpan sebagai CSV atau XLSX.',
  table_too_large: 'Tabelnya terlalu besar: paling banyak 8 MiB, 5.000 baris, dan 60 kolom. Bagi dulu.',
  table_no_number: 'Kurir tidak menemukan kolom nomor telepon. Beri nama “Nomor” atau “Phone”.',
  table_no_text: 'Tidak ada kolom “Pesan” atau “Text”, dan teks untuk tabel di Pengaturan masih kosong.',
  table_no_column: 'Teks untuk tabel di Pengaturan menyebut kolom yang tidak ada di tabel ini:',
  table_no_row: 'Tidak ada baris tabel ini yang dapat dikirim:',
  table_too_slow: 'Pesan terakhir baru berangkat lebih dari 30 hari lagi. Bagi tabelnya, atau percepat pengirim.',
  table_for_one:
    'Namanya diawali nomor telepon, seperti file untuk satu pelanggan. Tabel tidak dikirim sebagai file. Ganti namanya jika setiap barisnya adalah pesan.',
  table_over_limit:
    'Baris tabel ini lebih banyak dari batas sehari di Pengaturan. Bagi tabelnya, atau naikkan batasnya.',
  some_rows:
    'Baris yang lain sedang dikirim: lihat Tulis di Kurir. Baris berikut tidak. Perbaiki di tabel tersendiri, jangan di tabel ini:',
} as const

/** Reasons why the folder for drops or backups cannot be used, as the end of a sentence. */
export const folderFaults = {
  not_writable: 'menulis di folder itu tidak diizinkan',
  no_sender: 'pengirimnya sudah tidak ada',
  full: 'tidak ada tempat',
  tables_full: 'tabelnya sudah terlalu banyak',
  stuck: 'ada file yang tidak dapat dibuka atau dipindahkan',
  failed: 'tidak bisa dibuat atau tidak bisa dibuka',
} as const

/** Reasons why a message failed, with advice. */
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

/** Short reasons why messages failed, for a list within a sentence. */
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
