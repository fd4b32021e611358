import type { ConcernAction, ConcernCode } from '../../contract/concerns.ts'
import type { ConcernText, ConcernTexts } from '../text.ts'
import { linked, official } from './sender-concerns.ts'

const KEPT = 'Pesan yang sudah diterima tetap tersimpan dan akan dikirim.'
const IN_DATABASE = 'Pesan yang sudah diterima ada di database, dan dikirim setelah database bekerja lagi.'

/** Concerns of the program, its messages and webhooks, and the choices of the owner. */
const program = {
  storage_full: {
    title: 'Disk penuh: Kurir menolak pesan baru.',
    meaning: KEPT,
    advice: 'Kosongkan sebagian ruang di PC ini. Kurir akan lanjut sendiri.',
  },
  storage_gone: {
    title: 'File database hilang: Kurir menolak pesan baru.',
    meaning: 'File itu dihapus, dipindah, atau diganti saat Kurir berjalan.',
    advice: 'Kembalikan file itu lalu buka ulang Kurir, atau pulihkan dari cadangan.',
  },
  storage_read_only: {
    title: 'Kurir tidak boleh menulis ke folder datanya: pesan baru ditolak.',
    meaning: KEPT,
    advice: 'Beri pengguna yang menjalankan Kurir hak menulis ke folder data. Kurir akan lanjut sendiri.',
  },
  storage_unavailable: {
    title: 'Kurir tidak dapat menyimpan pesan: pesan baru ditolak.',
    meaning: `Mungkin database sedang dipakai program lain, atau disknya bermasalah. ${KEPT}`,
    advice:
      'Tutup program cadangan dan antivirus yang memakai folder data. Jika belum berhasil, nyalakan ulang PC ini.',
  },
  storage_server_away: {
    title: 'Server database tidak menjawab: Kurir menolak pesan baru.',
    meaning: `Untuk sementara tidak ada yang dikirim, dan nomor serta angka tidak dapat ditampilkan. ${IN_DATABASE}`,
    advice:
      'Jalankan server database, atau pulihkan jaringan antara server itu dan komputer ini. Kurir akan lanjut sendiri.',
  },
  storage_server_refuses: {
    title: 'Server database tidak menerima penulisan dari Kurir: pesan baru ditolak.',
    meaning: `Server itu hanya standby yang bisa dibaca, atau menolak login Kurir. ${IN_DATABASE}`,
    advice:
      'Jadikan standby itu server utama (promote) bila server utama sudah tidak ada. Jika bukan itu, periksa KURIR_DATABASE_URL dan hak rolenya; jawaban server tercatat di log.',
  },
  storage_server_newer: {
    title: 'Versi Kurir di komputer ini terlalu lama untuk databasenya: pesan baru ditolak.',
    meaning:
      'Komputer lain sudah mengubah database untuk versi yang lebih baru. Komputer lain tetap berjalan, dan mengirim yang sudah diterima di sini.',
    advice: 'Pasang versi yang sama dengan komputer lain di komputer ini.',
  },
  storage_server_full: {
    title: 'Disk server database penuh: Kurir menolak pesan baru.',
    meaning: IN_DATABASE,
    advice: 'Kosongkan sebagian ruang di server database. Kurir akan lanjut sendiri.',
  },
  files_unavailable: {
    title: 'File tidak dapat disimpan atau diambil: pesan dengan file menunggu, dan yang baru ditolak.',
    meaning: 'Penyimpanan objek sedang bermasalah atau menolak Kurir. Pesan tanpa file tetap terkirim seperti biasa.',
    advice: 'Periksa penyimpanan objek dan pengaturannya; jawabannya tercatat di log. Kurir lanjut sendiri.',
  },
  not_moving: {
    title: '{name} tersambung, tetapi pesannya tidak keluar.',
    meaning: 'Seperempat jam tidak ada yang terkirim, padahal ada pesan yang sudah waktunya.',
    advice: 'Buka ulang Kurir. Jika terjadi lagi, simpan diagnostik di Pengaturan untuk orang yang membantu Anda.',
  },
  messages_failing: {
    title: '{failed} dari {total} pesan gagal {span}: {reasons}.',
    meaning: 'Tidak ada kabar bahwa pesan-pesan itu sampai.',
    advice: 'Lihat alasannya dan perbaiki yang salah sebelum mengirim lagi.',
  },
  some_failed: {
    title: '{failed} dari {total} pesan tidak sampai {span}: {reasons}.',
    meaning: 'Yang lain sudah keluar.',
    advice: 'Lihat alasannya dan perbaiki yang salah sebelum mengirim lagi.',
  },
  sending_long: {
    title: '{count} pesan {name} masih dikirim sejak {since}.',
    meaning: 'Belum diketahui apakah pesan itu sudah keluar.',
    advice: 'Lihat di Pesan apa kata percobaan terakhirnya. Tanyakan kepada pelanggan sebelum menulisnya lagi.',
  },
  disk_nearly_full: {
    title: 'Disk hampir penuh[: sisa {size}].',
    meaning: 'Jika penuh, Kurir menolak pesan baru.',
    advice: 'Hapus file besar yang tidak dipakai, atau simpan pesan Kurir lebih singkat.',
  },
  endpoint_failing: {
    title: 'Program Anda di {host} tidak menjawab Kurir sebagaimana mestinya[ (sejak {since})].[ {count} menunggu.]',
    meaning: 'Program Anda tidak menerima laporan status pesan. Kurir terus mencoba selama tiga hari.',
    advice: 'Lihat jawabannya, perbaiki, lalu pilih “Uji kirim”.',
  },
  endpoint_gone: {
    title: 'Callback ke {host} dimatikan: jawabannya “Gone”.[ {count} menunggu.]',
    meaning: 'Program Anda tidak menerima laporan status pesan.',
    advice: 'Perbaiki alamatnya lalu nyalakan lagi webhook-nya, atau hapus.',
  },
  callbacks_dead: {
    title: '{count} callback ke {host} tidak dapat diantar.',
    meaning: 'Program Anda tidak menerima laporan status pesan-pesan ini. Kurir sudah berhenti mencoba.',
    advice: 'Kirim lagi, karena webhook-nya kini berjalan, atau buang.',
  },
  calls_refused: {
    title: '{program} ditolak {count} kali sejak {since}[: {cause}].',
    meaning: 'Untuk permintaan itu tidak ada yang dikirim, dan programnya mungkin tidak memberi tahu.',
    advice: 'Lihat program mana dan apa yang harus diubah di dalamnya.',
  },
  printer_closed: {
    title: 'Port printer[ {detail}] tidak dapat dibuka.',
    meaning: 'Cetakan dari kasir tidak sampai ke Kurir. Mungkin port itu dipakai program lain.',
    advice: 'Tutup program itu, atau pilih port lain di Kurir dan di printer kasir Anda.',
  },
  prints_full: {
    title: 'Tempat untuk cetakan sudah penuh.',
    meaning: 'Kasir Anda tidak dapat mencetak ke Kurir sampai ada tempat.',
    advice: 'Buang atau kirim cetakan yang menunggu.',
  },
  drop_folder_away: {
    title: 'Folder kirim tidak ditemukan: {detail}.',
    meaning: 'File yang ditaruh di sana tidak dikirim.',
    advice: 'Pasang drive-nya, atau sambungkan jaringannya. Jika foldernya pindah, pilih lagi.',
  },
  drop_folder_stopped: {
    title: 'Kurir tidak dapat mengambil isi folder kirim[: {cause}].[ {count} file menunggu.]',
    meaning: 'Yang menunggu di sana tidak dikirim sampai penyebabnya hilang.',
    advice: 'Lihat di Pengaturan apa yang membantu.',
  },
  prints_wait: {
    title: '{count} cetakan menunggu Anda sejak {since}.',
    meaning: 'Kurir belum mengirimnya karena ada yang belum jelas.',
    advice: 'Isi nomornya lalu kirim, atau buang.',
  },
  drop_limit: {
    title: 'Folder kirim sudah mencapai batas hari ini: {count} file menunggu.',
    meaning: 'Kurir melanjutkan besok.',
    advice: 'Naikkan batasnya di Pengaturan jika file-file itu memang milik Anda.',
  },
  drop_files_failed: {
    title: '{count} file dari folder kirim tidak terkirim, atau tidak seluruhnya.',
    meaning: 'Filenya ada di folder “failed”, tabel di “sent”, di samping teks yang menjelaskan alasannya.',
    advice: 'Perbaiki filenya lalu taruh lagi di folder kirim. Hapus teksnya jika sudah selesai.',
  },
  node_gone: {
    title: 'Node[ {detail}] tidak ada kabar sejak {since}.',
    meaning: 'Node itu mati tanpa pamit, atau tidak dapat mencapai database. Pengirimnya sudah diambil alih node lain.',
    advice: 'Jalankan lagi node itu. Jika memang tidak dipakai lagi, keluarkan dari daftar node.',
  },
  clock_off: {
    title: 'Jam PC ini salah.',
    meaning: 'Lama tunggu pesan tetap seperti seharusnya, tetapi waktu di catatan bisa keliru.',
    advice: 'Biarkan sistem mengatur jamnya secara otomatis.',
  },
  all_paused: {
    title: 'Anda menjeda semua pengiriman.',
    meaning: 'Pesan baru diterima dan menunggu.',
    advice: 'Lanjutkan jika sudah ingin mengirim lagi.',
  },
  paused: {
    title: 'Anda menjeda {name}.',
    meaning: 'Pesan baru diterima dan menunggu.',
    advice: 'Lanjutkan jika sudah ingin mengirim lagi.',
  },
  paused_by_return: {
    title: 'Data dipulihkan atau dipindah kembali: {name} dijeda.',
    meaning: 'Pesan baru diterima dan menunggu.',
    advice: 'Sebagian mungkin sudah terkirim sejak cadangan dibuat, atau oleh PC lain: batalkan dulu, lalu lanjutkan.',
  },
  daily_cap: {
    title: '{name} mencapai batas harian dari Anda[ dan lanjut {until}].',
    meaning: 'Pesan menunggu sampai waktu itu.',
    advice: 'Naikkan batasnya di pengirim ini jika hari ini perlu lebih banyak.',
  },
  quiet_hours: {
    title: '{name} sedang jam tenang[ sampai {until}].',
    meaning: 'Pesan menunggu sampai waktu itu.',
    advice: 'Ubah jam tenangnya di pengirim ini jika kurang cocok.',
  },
  long_line: {
    title: '{name} punya banyak kiriman[: dengan jedanya sekarang baru selesai kira-kira {until}].',
    meaning: 'Pesan keluar satu per satu, dengan jeda dan batas yang Anda atur.',
    advice:
      'Jika masih sempat, Anda tidak perlu berbuat apa-apa. Jika tidak, kirim sebagian lewat nomor lain atau perpendek jedanya.',
  },
  nothing_linked: {
    title: 'Belum ada nomor yang tertaut.',
    meaning: 'Sampai saat itu hanya sandbox yang berjalan, untuk mencoba.',
    advice: 'Tautkan nomor toko Anda dengan kode QR.',
  },
  program_of_another_gateway: {
    title: 'Sebuah program di PC ini memanggil seperti memanggil {gateway} ({count} kali sejak {since}).',
    meaning: 'Kurir menolaknya: tidak ada yang dikirim.',
    advice: 'Izinkan masuk jika program itu memang mau mengirim lewat Kurir. Bisa dicoba dulu dengan sandbox.',
  },
  program_nearly_right: {
    title: 'Sebuah program di PC ini hampir benar memanggil Kurir ({count} kali sejak {since}).',
    meaning: 'Kurir menolaknya: tidak ada yang dikirim.',
    advice: 'Lihat apa yang harus diubah di program itu.',
  },
  silent: {
    title: 'Tidak ada pesan dari {name} sejak {since}.',
    meaning: 'Sebelumnya hampir setiap hari ada pesan. Sekarang tidak ada pesan yang menunggu.',
    advice:
      'Kalau program Anda seharusnya mengirim, periksa apakah programnya berjalan dan terhubung ke Kurir. Kalau toko sedang tutup, Anda tidak perlu berbuat apa-apa.',
  },
  owner_pages_open: {
    title: 'Halaman pemilik terbuka untuk perangkat lain di jaringan Anda, tanpa enkripsi.',
    meaning: 'Isinya dapat ikut terbaca di jaringan itu.',
    advice: 'Tutup di Pengaturan jika hanya PC ini yang memerlukannya.',
  },
  lan_open: {
    title: 'Program di jaringan Anda dapat mengirim lewat Kurir.',
    meaning: 'Program itu memerlukan API key.',
    advice: 'Tutup di Pengaturan jika semua program Anda berjalan di PC ini.',
  },
  update_available: {
    title: 'Kurir {detail} siap dipasang.',
    meaning: 'Versi ini dipasang saat Kurir ditutup.',
    advice: 'Buka ulang dan perbarui saat sedang sepi.',
  },
  backup_folder_away: {
    title: 'Folder cadangan tidak ditemukan[: sudah {count} hari tidak ada cadangan].',
    meaning: 'Jika PC ini rusak, semua sejak cadangan terakhir hilang.',
    advice: 'Pasang drive untuk {detail}, atau pilih lagi foldernya di Pengaturan.',
  },
  backup_failed: {
    title: 'Pencadangan otomatis gagal[: {cause}].[ Sudah {count} hari tidak ada cadangan.]',
    meaning: 'Jika PC ini rusak, semua sejak cadangan terakhir hilang.',
    advice: 'Lihat di Pengaturan apa yang membantu, lalu cadangkan sekarang.',
  },
  backup_late: {
    title: 'Sudah {count} hari tidak ada cadangan otomatis.',
    meaning: 'Jika PC ini rusak, semua sejak cadangan terakhir hilang.',
    advice: 'Cadangkan sekarang di Pengaturan.',
  },
  backup_never: {
    title: 'Kurir belum punya cadangan.',
    meaning: 'Jika PC ini rusak, tautan, kunci, dan catatan pesan hilang.',
    advice: 'Buat cadangan di Pengaturan dan simpan di tempat lain.',
  },
  backup_old: {
    title: 'Cadangan terakhir sudah {count} hari ({since}).',
    meaning: 'Perubahan sejak itu hilang jika PC ini rusak.',
    advice: 'Buat cadangan baru di Pengaturan.',
  },
  retention_never: {
    title: 'Pesan disimpan selamanya.',
    meaning: 'Database bertambah besar dengan setiap pesan.',
    advice: 'Pilih di Pengaturan berapa lama pesan disimpan.',
  },
} as const satisfies ConcernTexts

export const concerns = { ...program, ...linked, ...official } as const satisfies Record<ConcernCode, ConcernText>

/** Labels of a concern's button. */
export const actions = {
  link: 'Tautkan',
  link_again: 'Tautkan lagi',
  add_number: 'Tautkan nomor',
  resume: 'Lanjutkan',
  use_here: 'Pakai di sini',
  try_again: 'Coba lagi',
  resume_all: 'Lanjutkan semua',
  what_to_do: 'Langkahnya',
  decide: 'Tentukan',
  enter_token: 'Isi token baru',
  enter_secret: 'Isi token dan App secret',
  correct_ids: 'Perbaiki ID',
  register: 'Daftarkan nomor',
  see_why: 'Lihat sebabnya',
  see_messages: 'Lihat',
  see_callbacks: 'Lihat',
  see_refused: 'Lihat',
  see_prints: 'Buka printer',
  let_in: 'Izinkan masuk',
  change_limit: 'Ubah batasnya',
  change_hours: 'Ubah jamnya',
  change_pace: 'Ubah jedanya',
  open_settings: 'Pengaturan',
  back_up: 'Buat cadangan',
  update: 'Perbarui',
} as const satisfies Record<ConcernAction, string>

/** Parts of the sentences of concerns. */
export const concernParts = {
  /** Follow the title if messages wait because of the concern, or failed today. */
  waiting: '{waiting} pesan menunggu.',
  failed: '{failed} pesan gagal hari ini.',
  /** Spans of time: the present day, or since a clock time. */
  today: 'hari ini',
  sinceTime: 'sejak {time}',
  /** Replace the name of one number, and of several. */
  aNumber: 'sebuah nomor',
  numbers: '{count} nomor',
  /** Replaces the address of a webhook. */
  aWebhook: 'sebuah webhook',
  /** Replace the name of a program, and of a gateway. */
  aProgram: 'sebuah program',
  anotherGateway: 'gateway lain',
  otherReasons: 'karena alasan lain',
} as const

/** Titles and bodies of alarms, and the daily line. */
export const alarms = {
  needs: 'Kurir perlu Anda',
  over: 'Sudah beres',
  test: 'Kurir: ini percobaan',
  testBody: 'Peringatan tiba di sini bila ada pesan yang menunggu, gagal, atau tidak dapat dilaporkan.',
  from: 'Dari PC {computer}.',
  day: 'Kurir hari ini',
  figures: 'Hari ini {sent} terkirim, {failed} gagal, {waiting} menunggu.',
  pastDay: 'Kurir pada {day}',
  pastFigures: '{sent} terkirim, {failed} gagal. Kabar ini tidak dapat dikirim pada harinya.',
  well: 'Semua baik.',
} as const
