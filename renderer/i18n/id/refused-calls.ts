import type { refusedCalls as en } from '../en/refused-calls.ts'
import type { Indonesian } from '../translation.ts'

export const refusedCalls: Indonesian<typeof en> = {
  title: 'Panggilan ditolak',
  lead: '1.000 panggilan terakhir dari program Anda yang dijawab Kurir dengan kesalahan. Tidak ada yang dikirim untuk panggilan ini.',
  empty: 'Tidak ada panggilan yang ditolak',
  emptyHint: 'Panggilan yang tidak dapat diterima Kurir muncul di sini, beserta apa yang harus diubah di program Anda.',
  key: 'Kunci',
  noKey: 'tidak ada yang dikenal Kurir',
  what: 'Yang salah',
  advice: 'Yang harus diubah di program Anda',
  call: 'Panggilan',
  answer: 'Jawaban',
  field: 'Kolom',
  from: 'Dari',
}
