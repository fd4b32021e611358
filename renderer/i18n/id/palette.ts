import type { palette as en } from '../en/palette.ts'
import type { Indonesian } from '../translation.ts'

export const palette: Indonesian<typeof en> = {
  find: 'Cari',
  title: 'Cari halaman, pengirim, atau pelanggan',
  hint: 'Halaman, pengirim, nomor, atau teks',
  customer: 'Semua yang dikirim ke {{number}}',
  messages: 'Cari “{{text}}” di semua pesan',
  keys: 'Tombol pintas',
  does: {
    find: 'Cari apa saja',
    search: 'Cari di halaman ini',
    help: 'Tampilkan tombol pintas',
    rows: 'Pindah baris di daftar',
    open: 'Buka baris',
    close: 'Tutup yang terbuka',
  },
}
