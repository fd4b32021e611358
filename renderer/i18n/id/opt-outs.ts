import type { optOuts as en } from '../en/opt-outs.ts'
import type { Indonesian } from '../translation.ts'

export const optOuts: Indonesian<typeof en> = {
  title: 'Berhenti langganan',
  lead: 'Pelanggan yang tidak mau promosi tetap menerima kode dan faktur. Yang tidak mau pesan apa pun tidak menerima apa-apa.',
  add: 'Tambah',
  number: 'Nomor',
  scope: 'Hentikan',
  scopes: { marketing: 'promosi', all: 'semua pesan' },
  added: {
    marketing: 'Dicatat. Promosi yang menunggu untuk nomor ini dibatalkan.',
    all: 'Dicatat. Semua pesan yang menunggu untuk nomor ini dibatalkan.',
  },
  removed: 'Dihapus. {{number}} bisa menerima pesan itu lagi.',
  import: 'Impor tabel',
  importHint:
    'CSV atau Excel, dengan satu kolom nomor; kolom lain tidak mengganggu. Anda melihatnya dulu sebelum disimpan.',
  understood_other: '{{count}} nomor terbaca',
  others_other: 'dan {{count}} lagi',
  take_other: 'Impor {{count}} nomor',
  imported_other: '{{count}} nomor ditambahkan.',
  refused: 'Baris yang dilewati: {{count}}.',
  line: 'Baris {{line}}: {{field}} {{problem}}.',
  list: 'Nomor',
  empty: 'Belum ada yang berhenti langganan',
  emptyHint: 'Pelanggan muncul di sini bila menulis STOP, bila Meta melaporkannya, atau bila Anda menambahkannya.',
  more: 'Tampilkan lagi',
  fromSender: 'hanya dari {{name}}',
  sources: {
    keyword: 'ditulis pelanggan',
    provider: 'dilaporkan Meta',
    owner: 'Anda masukkan',
    api: 'dimasukkan program',
  },
  says: { marketing: 'Pelanggan ini tidak mau promosi.', all: 'Pelanggan ini tidak mau pesan apa pun.' },
}
