import { isoTime } from '../lib/clock.ts'
import type { Message } from '../store/index.ts'

type Cell = string | number | boolean | null

const COLUMNS: readonly [title: string, cell: (message: Message, senderCode: string) => Cell][] = [
  ['id', (m) => m.id],
  ['created_at', (m) => isoTime(m.createdAt)],
  ['channel', (m) => m.channel],
  ['sender_code', (_m, code) => code],
  ['recipient', (m) => m.recipient],
  ['status', (m) => m.status],
  ['occurred_at', (m) => isoTime(m.occurredAt)],
  ['reference_id', (m) => m.referenceId],
  ['template_name', (m) => m.template?.name ?? null],
  ['template_language', (m) => m.template?.language ?? null],
  ['message', (m) => m.body],
  ['file', (m) => m.file],
  ['attempts', (m) => m.attempts],
  ['provider_message_id', (m) => m.providerMessageId],
  ['pricing_category', (m) => m.pricing?.category ?? null],
  ['pricing_type', (m) => m.pricing?.type ?? null],
  ['pricing_model', (m) => m.pricing?.pricing_model ?? null],
  ['billable', (m) => m.pricing?.billable ?? null],
  ['recipient_user_id', (m) => m.recipientUserId],
  ['error_code', (m) => m.error?.code ?? null],
  ['provider_code', (m) => m.error?.provider_code ?? null],
  ['error_message', (m) => m.error?.message ?? null],
  ['metadata', (m) => m.metadata],
]

/** The byte order mark marks what follows as UTF-8 for Excel. */
export const CSV_HEAD = `\ufeff${COLUMNS.map(([title]) => title).join(',')}\r\n`

/** One line for a message (RFC 4180). */
export const csvLine = (message: Message, senderCode: string): string =>
  `${COLUMNS.map(([, cell]) => escaped(cell(message, senderCode))).join(',')}\r\n`

// Also behind what is not seen, such as a zero-width space or NUL, and in full width, which spreadsheets read alike.
const FORMULA = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r]/u

/** A text that a spreadsheet would take for a formula is made a text by a leading apostrophe: customers write these. */
function escaped(value: Cell): string {
  if (value === null) return ''
  const text = String(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
