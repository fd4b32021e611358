import type { Status } from './messages.ts'
import type { Language } from './settings.ts'

/** The status of a message in the words of the window and of the tables made for people. */
export const STATUS_WORDS = {
  en: {
    queued: 'Waiting',
    accepted: 'At Meta',
    sending: 'Sending',
    sent: 'Sent',
    delivered: 'Delivered',
    read: 'Read',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
  id: {
    queued: 'Menunggu',
    accepted: 'Diproses Meta',
    sending: 'Sedang dikirim',
    sent: 'Terkirim',
    delivered: 'Sampai',
    read: 'Dibaca',
    failed: 'Gagal',
    cancelled: 'Dibatalkan',
  },
} as const satisfies Record<Language, Record<Status, string>>
