/** Why no message is made of a row of a table. */
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

/** Fate of a row, beside the status of its message. */
export const tableKinds = {
  refused: 'Tidak dikirim',
  waiting: 'Belum di antrean',
  stopped: 'Dihentikan',
  removed: 'Sudah dihapus',
} as const

/** A row in a list of rows that are not sent. */
export const tableLine = 'Baris {line}: {problem}'
