import type { ProviderHint } from '../../contract/failures.ts'
import type { CheckFinding, SenderCheck } from '../../contract/official-senders.ts'

/** Names of the checks of an official number. */
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

/** Consequences of a failed check. */
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
  templates_some:
    '{approved} dari {all} template dapat dikirim.[ {unreadable} lainnya di daftar Meta tidak dapat dibaca Kurir.]',
  templates_none: 'Belum ada template yang disetujui.[ {unreadable} di daftar Meta tidak dapat dibaca Kurir.]',
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

/** Advice about a refusal by Meta or a failed check of an official sender. */
export const hints = {
  new_token: 'Buat token akses baru untuk system user di Meta Business Settings, lalu simpan di pengirim ini.',
  token_expires:
    'Buat token akses baru untuk system user di Meta Business Settings, pilih yang tidak pernah kedaluwarsa, lalu simpan di pengirim ini.',
  permissions:
    'Beri system user izin whatsapp_business_messaging dan whatsapp_business_management untuk akun ini, buat token akses baru, lalu simpan di pengirim ini.',
  wrong_app_secret:
    'Salin app secret dari dasbor aplikasi di Meta (App settings, Basic) milik aplikasi yang membuat token akses ini, lalu simpan di pengirim ini.',
  wrong_ids:
    'Cocokkan phone number ID dan WhatsApp Business Account ID dengan yang ada di dasbor aplikasi (API Setup); keduanya ID, bukan nomor telepon. Jika sudah benar, berikan akun itu kepada system user pemilik token di Meta Business Settings.',
  limit_calls:
    'Meta menghitung permintaan aplikasi dan akun ini per jam. Tunggu selama yang disebut dalam jawaban, lalu kirim lagi.',
  limit_number:
    'Nomor ini sudah mencapai batas pesan per detik. Tunggu selama yang disebut dalam jawaban, lalu kirim lebih pelan.',
  limit_recipient:
    'Terlalu banyak pesan ke orang yang sama. Tunggu selama yang disebut dalam jawaban sebelum mengirim lagi kepadanya.',
  limit_flow: 'Meta membatasi flow template ini menjadi 10 pesan per jam. Tunggu, atau pakai template lain.',
  meta_unwell: 'Meta sedang bermasalah atau dalam perbaikan. Kirim lagi beberapa menit kemudian.',
  meta_unclear:
    'Menurut Meta ada gangguan di pihaknya, atau permintaan ini tidak terbaca. Kirim sekali lagi beberapa menit kemudian; jika ditolak lagi, cocokkan permintaannya dengan template.',
  unreachable: 'Periksa koneksi internet PC ini, lalu coba lagi.',
  unknown: 'Meta menjelaskan kode ini di halaman kode kesalahan WhatsApp Business Platform.',
  wrong_request: 'Perbaiki permintaannya: rinciannya menyebut bagian yang kurang atau salah.',
  unexplained:
    'Meta tidak menyebut alasannya. Cocokkan variabelnya dengan template; jika sudah benar, tanyakan ke dukungan Meta dengan menyebut fbtrace_id.',
  own_number: 'Nomor tidak dapat mengirim ke dirinya sendiri. Pakai penerima lain.',
  test_recipient:
    'Nomor uji hanya dapat mengirim ke penerima dalam daftarnya. Tambahkan penerima di dasbor aplikasi (API Setup), atau pakai nomor sungguhan.',
  message_type: 'Jenis pesan ini tidak didukung. Pakai template dengan teks, media, atau tombol.',
  recipient_id_not_allowed: 'Template jenis ini memerlukan nomor telepon penerima, bukan user ID dari Meta.',
  undeliverable:
    'Pastikan nomor ini ada di WhatsApp, memakai versi terbaru, dan pemiliknya sudah menyetujui ketentuan layanan.',
  identity_changed: 'Penerima berganti ponsel atau memasang ulang WhatsApp. Kirim pesannya sekali lagi.',
  message_expired: 'Penerima tidak dapat dijangkau sampai batas waktunya. Kirim lagi jika masih perlu.',
  media:
    'Meta tidak dapat mengambil file medianya. Pastikan tautannya bisa dibuka umum, jenisnya diizinkan, dan ukurannya tidak melebihi batas.',
  parameter_count: 'Isi variabel sebanyak yang ada di template, tidak kurang dan tidak lebih.',
  parameter_form:
    'Bentuk variabelnya tidak sesuai dengan template: cocokkan jenis, urutan, dan namanya dengan template.',
  parameter_text: 'Hapus baris baru, tab, dan lima spasi berturut-turut atau lebih dari isi variabel.',
  header_image: 'Header template ini memerlukan gambar. Berikan lewat components.',
  header_video: 'Header template ini memerlukan video. Berikan lewat components.',
  header_document: 'Header template ini memerlukan dokumen. Berikan lewat components.',
  header_location: 'Header template ini memerlukan lokasi. Berikan lewat components.',
  text_too_long: 'Teksnya terlalu panjang setelah variabel diisi. Perpendek isinya.',
  template_missing:
    'Periksa nama template dan bahasanya di WhatsApp Manager; template baru harus disetujui lebih dahulu.',
  template_policy: 'Template ini melanggar aturan WhatsApp. Ubah di WhatsApp Manager, lalu ajukan lagi.',
  template_quality:
    'Meta menjeda atau menonaktifkan template ini karena kualitasnya. Ubah di WhatsApp Manager atau pakai template lain.',
  template_category:
    'Meta menghentikan nomor ini karena template utility berisi promosi. Perbaiki kategori template itu di WhatsApp Manager.',
  flow_blocked:
    'Meta memblokir flow yang dibuka template ini. Perbaiki flow itu di WhatsApp Manager, atau pakai yang lain.',
  no_template: 'Buat template di WhatsApp Manager dan tunggu sampai disetujui.',
  opted_out: 'Orang ini tidak mau menerima pesan promosi dari Anda. Jangan kirim jenis ini lagi kepadanya.',
  marketing_cap: 'Orang ini sudah cukup banyak menerima pesan promosi. Jangan kirim lagi sebelum lewat 24 jam.',
  marketing_off:
    'Template marketing dimatikan untuk Cloud API di akun ini. Aktifkan di WhatsApp Manager, atau pakai template utility.',
  marketing_api:
    'Template atau akun ini belum bisa memakai Marketing Messages API. Setujui ketentuannya di WhatsApp Manager, atau hapus product_policy dan message_activity_sharing.',
  experiment: 'Meta sedang menahan pesan promosi untuk orang ini demi percobaan. Mengirim ulang tidak membantu.',
  window:
    'Pesan ini hanya boleh dikirim dalam 24 jam setelah orang itu menulis. Pakai template yang disetujui untuk itu.',
  country: 'Akun ini tidak boleh mengirim ke orang di negara tersebut.',
  direct_send: 'Meta tidak mengizinkan akun ini mengirim tanpa template. Pakai template yang sudah disetujui.',
  account_blocked:
    'Meta membatasi atau mengunci akun bisnis ini. Buka Business Support Home di Meta. Sebelum selesai, pesan lewat nomor ini tidak akan sampai.',
  spam: 'Terlalu banyak orang memblokir atau melaporkan nomor ini. Kurangi kiriman, hanya kepada yang menantikannya; lihat kualitas nomor di WhatsApp Manager.',
  display_name:
    'Nama tampilan nomor ini perlu disetujui di WhatsApp Manager. Sebelum itu, pesan lewat nomor ini tidak akan sampai.',
  payment:
    'Meta tidak dapat menagih akun ini. Di WhatsApp Manager bagian penagihan, periksa metode pembayaran atau batas kredit, mata uang, dan zona waktu.',
  payments_terms: 'Setujui ketentuan WhatsApp Payments di WhatsApp Manager sebelum mengirim template jenis ini.',
  not_registered:
    'Daftarkan nomor ini dengan PIN 6 digit, langsung di Kurir. WhatsApp Manager tidak bisa melakukannya; caranya ada di panduan nomor resmi.',
  registration: 'Ada masalah dengan pendaftaran nomor ini di Meta: rinciannya menyebut apa.',
  pin_wrong:
    'PIN itu bukan PIN nomor ini. Ubah di WhatsApp Manager (verifikasi dua langkah), lalu daftarkan nomornya lagi.',
  pin_locked:
    'PIN terlalu sering salah. Tunggu selama yang disebut dalam rincian, lalu daftarkan dengan PIN yang benar.',
  register_later:
    'Nomor ini terlalu sering dicoba didaftarkan. Tunggu dulu; setelah sepuluh percobaan Meta meminta jeda 72 jam.',
  verify_again: 'Konfirmasi lagi nomor ini lewat SMS atau telepon di WhatsApp Manager, lalu daftarkan.',
  deregister_first:
    'Pelepasan nomor ini dari Cloud API sebelumnya belum selesai. Lepaskan sekali lagi, lalu daftarkan.',
  number_blocked: 'Buka nomor ini di WhatsApp Manager: alasan tidak bisa mengirim tertulis di sana.',
  number_quality: 'Kurangi kiriman, dan hanya kepada yang menantikannya, sampai kualitasnya pulih.',
  name_declined: 'Pilih nama tampilan lain di WhatsApp Manager; yang sekarang ditolak atau sudah kedaluwarsa.',
  no_public_address: 'Siapkan tunnel ke port webhook dan masukkan alamatnya di Pengaturan (lihat panduan nomor resmi).',
  tunnel: 'Jalankan tunnel dan cocokkan tujuannya dengan alamat webhook di Pengaturan.',
  callback_elsewhere:
    'Di dasbor aplikasi, masukkan alamat callback PC ini, atau hapus alamat lain yang dipasang untuk nomor atau akun ini.',
  no_status_yet:
    'Di dasbor aplikasi, buka Use cases, Customize, Configuration: masukkan alamat callback dan verify token, berlangganan "messages" dan "message_template_status_update", terbitkan aplikasinya, lalu kirim satu template.',
  check_again: 'Kurir memeriksanya lagi saat Anda menyimpan, dan sekali sehari.',
} as const satisfies Record<ProviderHint, string>
