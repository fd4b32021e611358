import type { home as en } from '../en/home.ts'
import type { Indonesian } from '../translation.ts'

export const home: Indonesian<typeof en> = {
  title: 'Beranda',
  well: 'Semua baik.',
  today_zero: 'belum ada pesan hari ini',
  today_other: '{{count}} pesan hari ini',
  waiting: '{{count}} menunggu',
  failedToday: '{{count}} gagal',
  seen: 'Sudah saya lihat',
  alsoNeeds: 'Perlu perhatian juga',
  goodToKnow: 'Perlu diketahui',
  more: '{{count}} lagi',
  senders: 'Pengirim',
  chart: '14 hari terakhir',
  chartWords: '{{sent}} terkirim, {{read}} di antaranya dibaca, {{failed}} gagal.',
  chartEmpty: 'Belum ada pesan.',
  sentToday: 'Hari ini',
  lastSent: 'Terakhir kirim',
  day: 'Hari',
  figures: { sent: 'Terkirim', delivered: 'Sampai', read: 'Dibaca', failed: 'Gagal' },
  foot: 'Kurir {{version}} · catatan {{used}} · sisa disk {{free}}',
  footShort: 'Kurir {{version}} · catatan {{used}}',
}
