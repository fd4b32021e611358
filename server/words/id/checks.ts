import type { CheckFinding, SenderCheck } from '../../contract/official-senders.ts'

/** Checks of an official number, by name. */
export const checks = {
  token: 'Token akses',
  permissions: 'Izin',
  app_secret: 'App secret',
  number: 'Nomor',
  templates: 'Template',
  subscription: 'Langganan',
  public_address: 'Alamat publik',
  statuses: 'Laporan status',
} as const satisfies Record<SenderCheck['name'], string>

/** Consequences of a check that fails. */
export const risks = {
  token: 'Tanpa token yang berlaku tidak ada yang dapat dikirim.',
  permissions: 'Meta bisa menolak pengiriman, atau tidak menampilkan template.',
  app_secret: 'Pesan tetap keluar, tetapi laporan Meta tentang pesan itu ditolak Kurir.',
  number: 'Pesan dari nomor ini bisa ditolak.',
  templates: 'Pesan di luar balasan chat (tagihan, pengingat) tidak dapat dikirim.',
  subscription: 'Pesan tetap keluar, tetapi Kurir tidak tahu apakah pesan itu sampai.',
  public_address: 'Pesan tetap keluar, tetapi Kurir tidak tahu apakah pesan itu sampai.',
  statuses: 'Pesan tetap keluar, tetapi Kurir tidak tahu apakah pesan itu sampai.',
} as const satisfies Record<SenderCheck['name'], string>

/** Findings of these checks. */
export const findings = {
  token_forever: 'Token akses berlaku tanpa batas waktu.',
  token_until: 'Token akses berlaku sampai {at}.',
  token_invalid: 'Token akses tidak berlaku.',
  permissions_complete: 'Token memiliki kedua izin yang diperlukan.',
  permissions_missing: 'Token belum memiliki izin {missing}.',
  permissions_none: 'Token belum memiliki izin {first} dan {second}.',
  permissions_unknown: 'Izin token belum diketahui.',
  secret_right: 'App secret cocok dengan aplikasinya.',
  secret_wrong: 'App secret tidak cocok, jadi callback dari Meta ditolak.',
  secret_unknown: 'App secret tidak dapat diperiksa tanpa token.',
  number_unknown: 'Meta tidak mengenal nomor dengan ID nomor telepon ini.',
  number_empty: 'Jawaban Meta tidak menyebut nomor apa pun.',
  number:
    '{number} ({name}): status {status}, kualitas {quality}[, nama tampilan {display_name}][, batas {limit} orang dalam 24 jam untuk semua nomor bisnis Anda][, kecepatan {throughput}].',
  number_unlimited:
    '{number} ({name}): status {status}, kualitas {quality}[, nama tampilan {display_name}], tanpa batas orang yang Anda hubungi lebih dulu[, kecepatan {throughput}].',
  number_elsewhere: '{number} ({name}) bukan milik akun dengan WABA ID ini.',
  number_unregistered: '{number} ({name}) belum didaftarkan.',
  templates_some: '{approved} dari {all} template dapat dikirim.',
  templates_none: 'Belum ada template yang disetujui.',
  subscribed: 'Meta mengirim callback akun ini ke aplikasi Anda.',
  subscribed_now: 'Aplikasi Anda belum menerima callback akun ini; Kurir baru saja mendaftarkannya.',
  address_none: 'Meta tidak punya alamat yang bisa dipanggil, jadi laporan status tidak sampai.',
  address_elsewhere: '{url} tidak menuju PC ini.',
  address_not_entered: '{url} menuju PC ini, tetapi belum dimasukkan di Meta.',
  address_other: 'Meta memanggil {used}, bukan {url}.',
  address_right: '{url} menuju PC ini.',
  address_used: '{url} menuju PC ini, dan Meta memanggilnya.',
  status_came: 'Meta terakhir melaporkan status pada {at}.',
  status_never: 'Meta belum pernah melaporkan status.',
  meta_refused: 'Meta menolak pemeriksaan ini.',
  meta_away: 'Meta tidak dapat dihubungi.',
} as const satisfies Record<CheckFinding, string>
