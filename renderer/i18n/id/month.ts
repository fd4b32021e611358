import type { month as en } from '../en/month.ts'
import type { Indonesian } from '../translation.ts'

export const month: Indonesian<typeof en> = {
  title: 'Bulanan',
  lead: 'Tanpa sandbox. Klik angka untuk melihat pesannya.',
  choose: 'Bulan yang mana',
  prices: 'Yang ditagih Meta',
  billed: 'Ditagih Meta: {{billable}}. Gratis: {{free}}.',
  type: 'Jenis',
  bills: 'Ditagih',
  deleted: 'Pesan yang lebih lama dari {{days}} hari sudah dihapus dan tidak dihitung di sini.',
  empty: 'Tidak ada pesan di bulan ini.',
  reasons: 'Sebab pesan gagal',
  senders: 'Per pengirim',
  days: 'Per hari',
  all: 'Semua',
  sent: 'Terkirim',
  count: 'Jumlah',
  failedOfDay: '{{count}} gagal',
}
