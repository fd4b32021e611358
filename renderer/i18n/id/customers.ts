import type { customers as en } from '../en/customers.ts'
import type { Indonesian } from '../translation.ts'

export const customers: Indonesian<typeof en> = {
  title: 'Pelanggan',
  lead: 'Semua yang diterima satu nomor, dari semua pengirim Anda.',
  find: 'Cari pelanggan',
  findHint: 'Nomor: 0812 3456 7890',
  show: 'Lihat',
  all: 'Semua yang dikirim ke nomor ini',
  nothing: 'Nomor ini belum pernah dikirimi pesan lewat Kurir.',
  total_other: '{{count}} pesan sejak {{since}}',
  last: 'terakhir {{when}}',
  failed: '{{count}} gagal',
  waiting: '{{count}} menunggu',
}
