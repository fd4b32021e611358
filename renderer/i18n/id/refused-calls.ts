import type { refusedCalls as en } from '../en/refused-calls.ts'
import type { Indonesian } from '../translation.ts'

export const refusedCalls: Indonesian<typeof en> = {
  title: 'Panggilan ditolak',
  lead: '1.000 panggilan terakhir dari program Anda yang ditolak Kurir, atau yang harus ditebak isinya. Untuk yang ditolak, tidak ada yang dikirim.',
  notKept_other: '{{count}} panggilan lain juga ditolak, tetapi terlalu banyak sekaligus untuk dicantumkan.',
  empty: 'Tidak ada panggilan yang ditolak',
  emptyHint: 'Panggilan yang tidak dapat diterima Kurir muncul di sini, beserta apa yang harus diubah di program Anda.',
  who: 'Kunci atau PC',
  key: 'Kunci',
  noKey: 'tidak ada yang dikenal Kurir',
  what: 'Yang salah',
  advice: 'Yang harus diubah di program Anda',
  call: 'Panggilan',
  answer: 'Jawaban',
  field: 'Kolom',
  from: 'Dari',
  code: {
    charset_assumed:
      'Hurufnya bukan UTF-8. Kurir membacanya sebagai huruf Windows (Windows-1252), dan pesannya diterima.',
    missing_api_key: 'Panggilannya tanpa kunci API.',
    invalid_api_key: 'Kunci API ini tidak dikenal Kurir.',
    invalid_request: 'Ada kolom yang kosong atau salah.',
    sender_not_found: 'Tidak ada pengirim dengan kode ini.',
    message_not_found: 'Tidak ada pesan dengan ID ini.',
    not_found: 'Tidak ada apa-apa di alamat ini.',
    rate_limited: 'Terlalu banyak panggilan dalam satu menit.',
  },
}
