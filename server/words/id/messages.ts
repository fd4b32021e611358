import type { Status } from '../../contract/messages.ts'

/** The status of a message. */
export const statuses = {
  queued: 'Menunggu',
  accepted: 'Diproses Meta',
  sending: 'Sedang dikirim',
  sent: 'Terkirim',
  delivered: 'Sampai',
  read: 'Dibaca',
  failed: 'Gagal',
  cancelled: 'Dibatalkan',
} as const satisfies Record<Status, string>

/** Titles of the columns of a table for people. */
export const columns = {
  accepted: 'Masuk antrean',
  sender: 'Pengirim',
  number: 'Nomor',
  status: 'Status',
  since: 'Status sejak',
  message: 'Pesan',
  file: 'File',
  reference: 'Referensi',
  why: 'Sebab gagal',
} as const
