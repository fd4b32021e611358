import type { month as en } from '../en/month.ts'
import type { Indonesian } from '../translation.ts'

export const month: Indonesian<typeof en> = {
  title: 'Bulanan',
  lead: 'Tanpa sandbox. Klik angka untuk melihat pesannya.',
  choose: 'Bulan yang mana',
  prices: 'Yang ditagih Meta',
  billed: 'Ditagih Meta: {{billable}}. Gratis: {{free}}.',
  price: 'Satu pesan {{category}}',
  noPrices: 'Isi harga satu pesan dari Meta, lalu Kurir menjumlahkannya.',
  about: 'Sekitar {{sum}} menurut harga Anda, dalam mata uang tagihan.',
  atLeast: 'Paling sedikit {{sum}} menurut harga Anda; ada kategori tanpa harga.',
  bill: 'Lihat tagihan aslinya di Meta',
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
