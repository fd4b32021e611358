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
  not_this_kind: 'Dari folder ini Kurir mengirim file PDF dan gambar (JPG, PNG, WebP).',
  link: 'Ini tautan, atau file yang juga punya nama di tempat lain. Taruh salinannya di sini.',
  empty: 'File ini kosong.',
  too_large: 'File ini lebih besar dari batas WhatsApp: 100 MB untuk PDF, 16 MB untuk gambar.',
  sent_before: 'File ini sudah pernah diambil dengan nama yang sama. Untuk mengirim sekali lagi, ganti namanya.',
  refused: 'Kurir tidak dapat membuat pesan dari file ini.',
  message_failed: 'Pesannya gagal. Lihat alasannya di halaman Pesan di Kurir.',
} as const
