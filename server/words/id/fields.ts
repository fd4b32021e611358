import type { FieldProblem, TypeName } from '../../contract/field-problems.ts'

/** Problems of a field; each follows its name, as in "delay: must not be less than 0". */
export const fields = {
  required: 'wajib diisi',
  wrong_type: 'harus {expected}, bukan {given}',
  // In place of `wrong_type` where a number was given for a text.
  number_for_text: 'harus teks, bukan angka: beri tanda kutip, misalnya "123"',
  not_a_number: 'harus angka',
  repeated: 'diberikan lebih dari sekali: berikan sekali saja, beberapa nilai dengan koma bila boleh',
  empty: 'tidak boleh kosong',
  too_short: 'paling sedikit {min} karakter',
  too_long: 'paling banyak {max} karakter',
  too_small: 'tidak boleh kurang dari {min}',
  too_big: 'tidak boleh lebih dari {max}',
  too_few: 'paling sedikit {min} anggota',
  too_many: 'paling banyak {max} anggota',
  too_deep: 'tidak boleh bersarang lebih dari {max} tingkat',
  too_large: 'tidak boleh lebih dari {max} byte',
  not_one_of: 'harus salah satu dari: {allowed}',
  wrong_form: 'bentuknya harus seperti {example}',
  not_an_address:
    'harus alamat http atau https tanpa nama pengguna dan kata sandi, atau diawali file:///C:/ atau data:application/pdf;base64,',
  not_https: 'harus alamat https',
  not_a_phone: 'harus nomor telepon 7 sampai 15 angka dengan kode negara, misalnya 6281234567890',
  no_country_code:
    'harus diawali kode negara, misalnya 6281234567890 dan bukan 081234567890 (atau atur kode negara default untuk pengirim ini)',
  empty_without_file: 'tidak boleh kosong tanpa file',
  not_together: 'tidak boleh diberikan bersama {other}',
  too_far_ahead: 'paling lama {days} hari ke depan',
  too_soon: 'paling cepat {seconds} detik setelah waktu kirim pesan',
  no_such_file: 'bukan file milik kunci ini: kirim dulu ke /files',
  not_an_allowed_file:
    'harus file, bukan tautan, di dalam folder yang diizinkan pemilik (Pengaturan), dan sudah ada di sana',
  not_a_whole_path: 'harus alamat folder lengkap, misalnya {example}',
  no_such_folder: 'tidak ada di PC ini; pasang drive-nya, atau perbaiki alamat foldernya',
  folder_not_writable: 'tidak dapat ditulisi Kurir; pilih folder lain',
  folder_taken: 'sudah berisi cadangan Kurir lain; pilih folder tersendiri, atau pulihkan dulu cadangannya',
  folder_of_kurir: 'ada di dalam folder data Kurir sendiri; pilih folder di drive lain',
  folder_not_empty: 'sudah ada isinya: pilih folder kosong, karena semua file di dalamnya dipindahkan Kurir',
  unknown_words: 'berisi kata dalam kurung kurawal yang tidak dapat diisi Kurir: {names}',
  body_given_twice: 'tidak boleh berisi body kalau parameters diberikan',
  not_a_parameter: 'harus teks, angka, atau true/false; angka yang lebih dari 15 digit sebagai teks',
  variables_touch: 'perlu teks di antara dua variabel',
  unknown_variables: 'menyebut {names}, yang tidak ada di polanya',
  not_official: 'harus kode pengirim resmi',
  no_such_sender: 'harus kode pengirim',
  only_linked: 'hanya untuk pengirim yang ditautkan dengan kode QR',
  not_a_cursor: 'harus next_cursor dari daftar sebelumnya',
  not_printable: 'harus 1 sampai {max} karakter yang dapat dicetak',
  not_percent_encoded: 'harus UTF-8 dalam percent-encoding',
  unknown_name: 'tidak dikenal di sini: periksa ejaannya',
  unknown_sender: 'tidak ada pengirim {sender_code}',
  address_refused: 'alamat ini ditolak: {reason}',
  // Its reason is known to the finder alone, in English.
  other: '{reason}',
  invalid: 'tidak berlaku',
} as const satisfies Record<FieldProblem | 'number_for_text', string>

/** Kinds of values, for `wrong_type`. */
export const types = {
  text: 'teks',
  number: 'angka',
  whole_number: 'bilangan bulat',
  boolean: 'true atau false',
  list: 'daftar',
  object: 'objek',
  null: 'null',
  other: 'yang lain',
} as const satisfies Record<TypeName, string>
