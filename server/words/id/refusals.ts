import type { ErrorCode } from '../../contract/errors.ts'
import type { FieldProblem, TypeName } from '../../contract/field-problems.ts'

const AT_META = 'Meta menolak templatnya. Baca alasannya pada pesan itu, lalu perbaiki templat atau nilainya.'
const BACKUP = 'Ini soal cadangan, bukan permintaan sebuah program.'
const TRY_AGAIN =
  'Permintaannya tidak salah. Biarkan program Anda mengirim permintaan yang sama lagi setelah satu menit, dengan Idempotency-Key yang sama.'

/** Advice for the program whose call was refused. */
export const refusals = {
  charset_assumed:
    'Periksa satu pesan di ponsel. Buat program Anda menulis UTF-8, atau menyebut hurufnya: "Content-Type: application/json; charset=windows-1252".',
  invalid_json:
    'Isinya bukan JSON. Biarkan bahasa pemrograman Anda yang menulisnya (json_encode, JSON.stringify), jangan menyambung teks sendiri.',
  invalid_request: 'Perbaiki kolom yang disebut; isi yang benar ada di docs/api.md.',
  sender_code_required: 'Tambahkan "sender_code" berisi kode pengirim, atau pakai kunci untuk satu pengirim.',
  missing_api_key:
    'Buat kunci di Kurir pada menu API key, lalu pasang di program Anda sebagai "Authorization: Bearer <kunci>".',
  invalid_api_key:
    'Kuncinya sudah dicabut, kedaluwarsa, atau tidak tersalin utuh. Buat yang baru di API key dan pasang di program Anda.',
  sender_not_allowed: 'Kunci ini milik pengirim lain. Hapus "sender_code", atau pakai kunci global.',
  key_reads_only:
    'Kunci ini hanya boleh membaca. Buat kunci yang boleh mengirim di API key, lalu pasang di program Anda.',
  owner_only: 'Alamat ini milik jendela Kurir. Di program Anda pakai alamat yang ada di docs/api.md.',
  host_not_allowed: 'Panggil http://127.0.0.1:7420, atau tambahkan namanya ke host yang diizinkan di Pengaturan.',
  sender_not_found: 'Tidak ada pengirim dengan kode ini. Salin kodenya dari halaman Pengirim.',
  message_not_found: 'Tanyakan dengan id dari jawaban /send, dan dengan kunci yang boleh memakai pengirimnya.',
  not_found: 'Tidak ada apa-apa di alamat ini. Bandingkan dengan docs/api.md.',
  method_not_allowed: 'Alamatnya benar, metodenya tidak: mengirim memakai POST.',
  idempotency_conflict:
    'Idempotency-Key yang sama datang dengan isi berbeda. Pakai kunci sendiri untuk tiap pesan, misalnya nomor nota.',
  duplicate_reference:
    'Pesan dengan referensi ini sudah ada: sudah pernah dikirim. Jangan kirim lagi, atau beri referensi baru.',
  duplicate_content:
    'Teks dan file yang sama baru saja dikirim ke nomor ini: program mengirim dua kali. Jangan kirim lagi.',
  recipient_opted_out:
    'Pelanggan tidak mau menerimanya. Keluarkan nomor ini dari promosi; nota dan kode dikirim tanpa "purpose".',
  group_unknown:
    'Beri ID grup, atau nama persisnya kalau hanya satu yang bernama itu: daftarnya di GET /senders/{code}/groups.',
  group_no_marketing: 'Pesan ke grup dikirim tanpa "purpose": grup untuk staf, promosi untuk pelanggan.',
  message_not_changeable: 'Pesan sudah berjalan atau selesai; hanya yang masih menunggu dapat diubah.',
  message_not_revocable:
    'Pesan terkirim dari nomor tertaut bisa dihapus untuk semua orang sekitar dua hari, selama nomor itu tetap tertaut.',
  message_not_cancellable: 'Pesan sudah berjalan atau selesai; hanya yang masih menunggu dapat dibatalkan.',
  conflict: 'Pengirimnya belum siap; alasannya ada di halamannya di Kurir.',
  payload_too_large:
    'Isinya terlalu besar. Kirim file sebagai formulir atau lewat alamatnya ("file"), dan lebih kecil.',
  unsupported_media_type: 'Kirim JSON dalam UTF-8 dengan header "Content-Type: application/json", tanpa dipadatkan.',
  sender_kind_mismatch:
    'Teks dan file ke /send dengan pengirim tertaut, templat ke /waba/send-template dengan pengirim resmi.',
  template_not_sendable: AT_META,
  provider_rejected: AT_META,
  wrong_passphrase: BACKUP,
  backup_unreadable: BACKUP,
  backup_newer: BACKUP,
  table_unreadable: 'Ini tentang tabel pemilik, bukan permintaan program.',
  rate_limited: 'Terlalu banyak permintaan sekaligus. Tunggu selama yang disebut header Retry-After, lalu lanjutkan.',
  provider_rate_limited: 'Meta meminta pengiriman lebih pelan. Kirim lagi setelah waktu di Retry-After.',
  internal_error: 'Kesalahannya ada di Kurir. Laporkan dengan menyertakan diagnostik dari Pengaturan.',
  provider_unavailable: TRY_AGAIN,
  provider_auth_failed:
    'Permintaannya tidak salah: Meta menolak akses pengirim ini. Masukkan token baru di halamannya.',
  provider_timeout: 'Belum pasti apakah Meta menerima pesannya. Tanyakan dulu lewat id-nya sebelum mengirim lagi.',
  queue_full: 'Terlalu banyak pesan menunggu di pengirim ini. Biarkan program menunggu, dan lihat halaman pengirimnya.',
  shutting_down: TRY_AGAIN,
  storage_full:
    'Ruang untuk file sudah habis. Kirim permintaan yang sama nanti, atau minta pemilik menambahnya di Pengaturan.',
  storage_unavailable:
    'Kurir tidak dapat menulis ke disk: Beranda menjelaskan caranya. Setelah itu permintaan dapat dikirim lagi.',
} as const satisfies Record<ErrorCode | 'charset_assumed', string>

/** Reasons why a program was refused, as the end of a sentence about it. */
export const refusedBecause = {
  invalid_api_key: 'kuncinya tidak dikenal',
  missing_api_key: 'tidak membawa kunci',
  invalid_request: 'ada kolom yang kosong atau salah',
  invalid_json: 'JSON-nya rusak',
  not_found: 'alamat yang dipanggil tidak ada',
  method_not_allowed: 'metode permintaannya salah',
  unsupported_media_type: 'bentuk tulisannya tidak dapat dibaca Kurir',
  payload_too_large: 'yang dikirim terlalu besar',
  sender_not_found: 'pengirimnya tidak ada',
  sender_code_required: 'tidak menyebut pengirim',
  sender_not_allowed: 'kuncinya milik pengirim lain',
  key_reads_only: 'kuncinya hanya boleh membaca',
  sender_kind_mismatch: 'jenis pengirimnya lain',
  rate_limited: 'terlalu sering memanggil',
  queue_full: 'terlalu banyak pesan menunggu di pengirimnya',
  template_not_sendable: 'templatnya tidak dapat dikirim',
  provider_rejected: 'Meta menolak yang dikirim',
} as const satisfies Partial<Record<ErrorCode, string>>

/** Problems of a field, to follow its name, as in "delay: must not be less than 0". */
export const fields = {
  required: 'wajib diisi',
  wrong_type: 'harus {expected}, bukan {given}',
  // Replaces `wrong_type` if a number was given for a text.
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
  zero_lost:
    'tanpa angka 0 dan tanpa kode negara: tulis 081234567890 atau 6281234567890 (atau + sebelum kode negara lain)',
  empty_without_file: 'tidak boleh kosong tanpa file',
  not_together: 'tidak boleh diberikan bersama {other}',
  too_far_ahead: 'paling lama {days} hari ke depan',
  too_soon: 'paling cepat {seconds} detik setelah waktu kirim pesan',
  no_such_file: 'bukan file milik kunci ini: kirim dulu ke /files',
  not_an_allowed_file:
    'harus file, bukan tautan, di dalam folder yang diizinkan pemilik (Pengaturan), dan sudah ada di sana',
  not_a_whole_path: 'harus alamat folder lengkap, misalnya {example}',
  folder_silent:
    'tidak menjawab: drive-nya, atau PC tempatnya, mungkin sedang tidur atau mati; coba lagi setelah menyala',
  no_such_folder: 'tidak ada di PC ini; pasang drive-nya, atau perbaiki alamat foldernya',
  folder_not_writable: 'tidak dapat ditulisi Kurir; pilih folder lain',
  folder_full: 'sudah penuh; kosongkan sebagian isinya, atau pilih folder lain',
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
  // The code that found the problem writes the reason, in English.
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
