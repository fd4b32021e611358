/** Why a file of the drop folder is not sent. */
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

/** Why the drop folder or the one for backups is of no use, as the end of a sentence about it. */
export const folderFaults = {
  not_writable: 'menulis di folder itu tidak diizinkan',
  no_sender: 'pengirimnya sudah tidak ada',
  full: 'tidak ada tempat',
  tables_full: 'tabelnya sudah terlalu banyak',
  stuck: 'ada file yang tidak dapat dibuka atau dipindahkan',
  failed: 'tidak bisa dibuat atau tidak bisa dibuka',
} as const
