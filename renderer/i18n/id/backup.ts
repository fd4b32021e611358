import type { backup as en } from '../en/backup.ts'
import type { Indonesian } from '../translation.ts'

export const backup: Indonesian<typeof en> = {
  auto: 'Folder untuk cadangan otomatis',
  autoHint:
    'Flashdisk, PC lain, atau folder yang disinkronkan. Kurir membuat satu cadangan setiap hari dan satu sebelum pembaruan, membukanya untuk memeriksa, dan menyimpan cadangan tujuh hari dan empat minggu terakhir.',
  example: 'E:\\Kurir',
  choose: 'Cadangkan ke sini',
  off: 'Matikan',
  now: 'Cadangkan sekarang',
  none: 'Belum ada cadangan di folder ini.',
  last: 'Cadangan terakhir utuh:',
  running: 'Cadangan sedang dibuat dan diperiksa…',
  failed: 'Cadangan terakhir gagal',
  fault: {
    away: 'Foldernya tidak ditemukan. Pasang drive-nya, atau ketik folder lain.',
    full: 'Tempatnya penuh. Kosongkan ruang di drive itu dan di PC ini.',
    not_writable: 'Kurir tidak boleh menulis di folder ini. Pilih folder lain.',
    failed: 'Cadangan tidak bisa dibuat atau tidak bisa dibuka. Cadangan sebelumnya masih ada. Coba lagi.',
  },
  sheet: 'Lembar darurat',
  sheetHint: 'Cetak dan simpan jauh dari PC ini. Tanpa kuncinya cadangan tidak bisa dibuka siapa pun, termasuk Anda.',
  sheetOpen: 'Buka lembarnya',
  sheetTitle: 'Kurir: lembar darurat',
  sheetWhy: 'Jika PC Kurir rusak atau dicuri, lanjutkan dengan lembar ini dan cadangan terbaru.',
  print: 'Cetak',
  key: 'Kunci cadangan',
  where: 'Tempat cadangan',
  newest: 'File terbaru saat dicetak',
  made: 'Dibuat',
  howTo: 'Cara melanjutkan di PC baru',
  steps: {
    install: 'Pasang Kurir di PC baru, lalu buka.',
    choose: 'Tekan “Saya punya cadangan” di halaman pertama.',
    file: 'Pilih file terbaru yang berakhiran .kurirbackup.',
    key: 'Ketik kunci di atas beserta tanda hubungnya, lalu pulihkan.',
    old: 'Jangan jalankan lagi Kurir di PC lama: satu nomor hanya bisa di satu PC.',
    waiting: 'Pengirim yang pesannya menunggu akan dijeda. Batalkan yang sudah terkirim, lalu lanjutkan.',
  },
  keep: 'Siapa pun yang memegang lembar ini dan satu cadangan dapat mengirim dari nomor Anda. Simpan seperti uang.',
  have: 'Saya punya cadangan',
}
