import type { ConcernAction, ConcernCode } from '../../contract/concerns.ts'
import type { ConcernText } from '../concern-shape.ts'
import { linked } from './concerns-linked.ts'
import { official } from './concerns-official.ts'
import { program } from './concerns-program.ts'

export const concerns = { ...program, ...linked, ...official } as const satisfies Record<ConcernCode, ConcernText>

/** Labels of the one button. */
export const actions = {
  link: 'Tautkan',
  link_again: 'Tautkan lagi',
  add_number: 'Tautkan nomor',
  resume: 'Lanjutkan',
  use_here: 'Pakai di sini',
  try_again: 'Coba lagi',
  resume_all: 'Lanjutkan semua',
  what_to_do: 'Langkahnya',
  decide: 'Tentukan',
  enter_token: 'Isi token baru',
  enter_secret: 'Isi token dan App secret',
  correct_ids: 'Perbaiki ID',
  register: 'Daftarkan nomor',
  see_why: 'Lihat sebabnya',
  see_messages: 'Lihat',
  see_callbacks: 'Lihat',
  see_refused: 'Lihat',
  see_prints: 'Buka printer',
  let_in: 'Izinkan masuk',
  change_limit: 'Ubah batasnya',
  change_hours: 'Ubah jamnya',
  change_pace: 'Ubah jedanya',
  open_settings: 'Pengaturan',
  back_up: 'Buat cadangan',
  update: 'Perbarui',
} as const satisfies Record<ConcernAction, string>

/** Parts of the sentences of concerns. */
export const concernParts = {
  /** Behind the title where messages wait because of it, or failed today. */
  waiting: '{waiting} pesan menunggu.',
  failed: '{failed} pesan gagal hari ini.',
  /** A span of time: of the present day, or from a clock time. */
  today: 'hari ini',
  sinceTime: 'sejak {time}',
  /** In place of the name of a number, and of several. */
  aNumber: 'sebuah nomor',
  numbers: '{count} nomor',
  /** In place of the address of a webhook. */
  aWebhook: 'sebuah webhook',
  /** In place of the name of a program, and of a gateway. */
  aProgram: 'sebuah program',
  anotherGateway: 'gateway lain',
  otherReasons: 'karena alasan lain',
} as const
