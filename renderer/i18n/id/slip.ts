import type { slip as en } from '../en/slip.ts'
import type { Indonesian } from '../translation.ts'

export const slip: Indonesian<typeof en> = {
  title: 'Bukti pengiriman pesan',
  open: 'Bukti untuk dicetak',
  print: 'Cetak atau simpan sebagai PDF',
  from: 'Dari',
  to: 'Kepada',
  file: 'File',
  hash: 'Sidik jari file (SHA-256)',
  accepted: 'Masuk antrean',
  notYet: 'belum dilaporkan',
  meaning:
    'Terkirim: server WhatsApp sudah mengonfirmasi pesan. Sampai: pesan tiba di ponsel pelanggan. Dibaca: pelanggan membukanya, jika ia mengizinkan hal itu terlihat.',
  printed: 'Dicetak dari Kurir pada {{when}}.',
}
