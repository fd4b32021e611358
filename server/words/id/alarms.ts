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
