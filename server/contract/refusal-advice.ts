import type { ErrorCode } from './errors.ts'

interface Advice {
  en: string
  id: string
}

const KEY_FROM_WINDOW = {
  en: 'Create a key in Kurir under API keys, and put it into your program as "Authorization: Bearer <key>".',
  id: 'Buat kunci di Kurir pada menu Kunci API, lalu pasang di program Anda sebagai "Authorization: Bearer <kunci>".',
}
const OWNERS = {
  en: 'This address belongs to the window of Kurir. Use the addresses of docs/api.md in your program.',
  id: 'Alamat ini milik jendela Kurir. Di program Anda pakai alamat yang ada di docs/api.md.',
}
const TRY_AGAIN = {
  en: 'Nothing is wrong with the call. Let your program send the same call again after a minute, with the same Idempotency-Key.',
  id: 'Panggilannya tidak salah. Biarkan program Anda mengirim panggilan yang sama lagi setelah satu menit, dengan Idempotency-Key yang sama.',
}
const AT_META = {
  en: 'Meta refused the template. Read what it says at the message, and correct the template or its values.',
  id: 'Meta menolak templatnya. Baca alasannya pada pesan itu, lalu perbaiki templat atau nilainya.',
}
const BACKUP = {
  en: 'This concerns a backup, not a call of a program.',
  id: 'Ini soal cadangan, bukan panggilan sebuah program.',
}

/** Advice for the program whose call was refused, by code. */
export const REFUSAL_ADVICE = {
  invalid_json: {
    en: 'The body is no JSON. Let your language write it (json_encode, JSON.stringify) instead of joining texts.',
    id: 'Isinya bukan JSON. Biarkan bahasa pemrograman Anda yang menulisnya (json_encode, JSON.stringify), jangan menyambung teks sendiri.',
  },
  invalid_request: {
    en: 'Correct the field that is named; docs/api.md says what it may hold.',
    id: 'Perbaiki kolom yang disebut; isi yang benar ada di docs/api.md.',
  },
  sender_code_required: {
    en: 'Add "sender_code" with the code of a sender, or use a device key, which belongs to one sender.',
    id: 'Tambahkan "sender_code" berisi kode pengirim, atau pakai kunci untuk satu pengirim.',
  },
  missing_api_key: KEY_FROM_WINDOW,
  invalid_api_key: {
    en: 'The key was revoked, has expired, or was not copied whole. Create a new one under API keys and put it into your program.',
    id: 'Kuncinya sudah dicabut, kedaluwarsa, atau tidak tersalin utuh. Buat yang baru di Kunci API dan pasang di program Anda.',
  },
  sender_not_allowed: {
    en: 'This key belongs to another sender. Leave out "sender_code", or use a global key.',
    id: 'Kunci ini milik pengirim lain. Hapus "sender_code", atau pakai kunci global.',
  },
  owner_only: OWNERS,
  host_not_allowed: {
    en: 'Call http://127.0.0.1:7420, or add the name to the allowed hosts in Settings.',
    id: 'Panggil http://127.0.0.1:7420, atau tambahkan namanya ke host yang diizinkan di Pengaturan.',
  },
  sender_not_found: {
    en: 'There is no sender of this code. Copy the code from the page Senders.',
    id: 'Tidak ada pengirim dengan kode ini. Salin kodenya dari halaman Pengirim.',
  },
  message_not_found: {
    en: 'Ask with the id that the answer to /send gave, and with a key that reaches its sender.',
    id: 'Tanyakan dengan id dari jawaban /send, dan dengan kunci yang boleh memakai pengirimnya.',
  },
  not_found: {
    en: 'There is nothing at this address. Compare it with docs/api.md.',
    id: 'Tidak ada apa-apa di alamat ini. Bandingkan dengan docs/api.md.',
  },
  method_not_allowed: {
    en: 'The address is right, the method is not: sending is POST.',
    id: 'Alamatnya benar, metodenya tidak: mengirim memakai POST.',
  },
  idempotency_conflict: {
    en: 'The same Idempotency-Key came with another body. Use a key of its own for each message, such as the invoice number.',
    id: 'Idempotency-Key yang sama datang dengan isi berbeda. Pakai kunci sendiri untuk tiap pesan, misalnya nomor nota.',
  },
  duplicate_reference: {
    en: 'A message with this reference exists already: it was sent before. Do not send it again, or give a new reference.',
    id: 'Pesan dengan referensi ini sudah ada: sudah pernah dikirim. Jangan kirim lagi, atau beri referensi baru.',
  },
  duplicate_content: {
    en: 'The same text and file went to this number a moment ago: the program sends twice. Do not send it again.',
    id: 'Teks dan file yang sama baru saja dikirim ke nomor ini: program mengirim dua kali. Jangan kirim lagi.',
  },
  recipient_opted_out: {
    en: 'The customer does not want it. Leave the number out of advertising; invoices and codes go without "purpose".',
    id: 'Pelanggan tidak mau menerimanya. Keluarkan nomor ini dari promosi; nota dan kode dikirim tanpa "purpose".',
  },
  message_not_changeable: {
    en: 'The message is on its way or finished; only a waiting one can be changed.',
    id: 'Pesan sudah berjalan atau selesai; hanya yang masih menunggu dapat diubah.',
  },
  message_not_revocable: {
    en: 'Only a message of a linked number that was sent can be deleted for everyone, and only for about two days.',
    id: 'Hanya pesan terkirim dari nomor tertaut yang bisa dihapus untuk semua orang, itu pun sekitar dua hari.',
  },
  message_not_cancellable: {
    en: 'The message is on its way or finished; only a waiting one can be cancelled.',
    id: 'Pesan sudah berjalan atau selesai; hanya yang masih menunggu dapat dibatalkan.',
  },
  conflict: {
    en: 'The sender is not ready for this; its page in Kurir says why.',
    id: 'Pengirimnya belum siap; alasannya ada di halamannya di Kurir.',
  },
  payload_too_large: {
    en: 'The body is too large. Send files as a form or by their address ("file"), and smaller ones.',
    id: 'Isinya terlalu besar. Kirim file sebagai formulir atau lewat alamatnya ("file"), dan lebih kecil.',
  },
  unsupported_media_type: {
    en: 'Send JSON in UTF-8 with the header "Content-Type: application/json", not packed.',
    id: 'Kirim JSON dalam UTF-8 dengan header "Content-Type: application/json", tanpa dipadatkan.',
  },
  sender_kind_mismatch: {
    en: 'Texts and files go to /send with a linked sender, templates to /waba/send-template with an official one.',
    id: 'Teks dan file ke /send dengan pengirim tertaut, templat ke /waba/send-template dengan pengirim resmi.',
  },
  template_not_sendable: AT_META,
  provider_rejected: AT_META,
  wrong_passphrase: BACKUP,
  backup_unreadable: BACKUP,
  backup_newer: BACKUP,
  rate_limited: {
    en: 'Too many calls at once. Wait as long as the header Retry-After says, and then go on.',
    id: 'Terlalu banyak panggilan sekaligus. Tunggu selama yang disebut header Retry-After, lalu lanjutkan.',
  },
  provider_rate_limited: {
    en: 'Meta asks to send more slowly. Send again after the time in Retry-After.',
    id: 'Meta meminta pengiriman lebih pelan. Kirim lagi setelah waktu di Retry-After.',
  },
  internal_error: {
    en: 'The mistake is in Kurir. Send the diagnostics of Settings with a report.',
    id: 'Kesalahannya ada di Kurir. Laporkan dengan menyertakan diagnostik dari Pengaturan.',
  },
  provider_unavailable: TRY_AGAIN,
  provider_auth_failed: {
    en: 'Nothing is wrong with the call: Meta refuses the access of this sender. Enter a new token on its page.',
    id: 'Panggilannya tidak salah: Meta menolak akses pengirim ini. Masukkan token baru di halamannya.',
  },
  provider_timeout: {
    en: 'It is not known whether Meta took the message. Ask for it by its id before sending it again.',
    id: 'Belum pasti apakah Meta menerima pesannya. Tanyakan dulu lewat id-nya sebelum mengirim lagi.',
  },
  queue_full: {
    en: 'Too many messages wait for this sender. Let your program wait, and look at the sender’s page.',
    id: 'Terlalu banyak pesan menunggu di pengirim ini. Biarkan program menunggu, dan lihat halaman pengirimnya.',
  },
  shutting_down: TRY_AGAIN,
  storage_full: {
    en: 'The room for files is used up. Send the same call later, or let the owner allow more in Settings.',
    id: 'Ruang untuk file sudah habis. Kirim panggilan yang sama nanti, atau minta pemilik menambahnya di Pengaturan.',
  },
  storage_unavailable: {
    en: 'Kurir cannot write to its disk: Home says what to do. The call can be sent again afterwards.',
    id: 'Kurir tidak dapat menulis ke disk: Beranda menjelaskan caranya. Setelah itu panggilan dapat dikirim lagi.',
  },
} as const satisfies Record<ErrorCode, Advice>
