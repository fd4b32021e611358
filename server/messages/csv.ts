import type { Language } from '../contract/settings.ts'
import { isoTime } from '../lib/clock.ts'
import { asText, type Cell, escaped } from '../lib/csv.ts'
import type { Message } from '../store/index.ts'
import { WORDS } from '../words/index.ts'
import { say } from '../words/say.ts'

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

/** A CSV table: its header line, and a function that writes the line of a message. */
export interface CsvTable {
  head: string
  line: (message: Message, senderCode: string) => string
}

/** Byte order mark, by which Excel recognises UTF-8. */
export const BOM = '\ufeff'

/** All columns, for programs (RFC 4180). */
export const DATA_TABLE: CsvTable = {
  head: `${BOM}${COLUMNS.map(([title]) => title).join(',')}\r\n`,
  line: (message, code) => `${COLUMNS.map(([, cell]) => escaped(cell(message, code))).join(',')}\r\n`,
}

interface TableOptions {
  language: Language
  /** IANA name; undefined: the time zone of this PC. */
  timeZone: string | undefined
  nameOf: (senderCode: string) => string
}

/**
 * Returns the separator that Excel expects. Excel takes it from the region of Windows: a semicolon
 * where the comma is the decimal separator, as in Indonesia.
 */
export const separatorIn = (language: Language): string => (language === 'id' ? ';' : ',')

// The Swedish locale writes 2026-11-21 19:43:26, which every Excel reads as a time.
export const spreadsheetTimes = (timeZone: string | undefined): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone })

/** Returns the table for a spreadsheet: in the owner's language, with local times and reasons. */
export function spreadsheetTable({ language, timeZone, nameOf }: TableOptions): CsvTable {
  const separator = separatorIn(language)
  const words = WORDS[language]
  const times = spreadsheetTimes(timeZone)
  const timeOf = (ms: number) => times.format(ms)
  const reasonOf = ({ error }: Message): Cell => {
    if (error === null) return null
    return language === 'en' ? error.message : say(words, `failures.${error.code}.message`)
  }
  const cells = (message: Message, code: string): string[] => [
    escaped(timeOf(message.createdAt)),
    escaped(nameOf(code)),
    asText(message.recipient),
    escaped(words.statuses[message.status]),
    escaped(timeOf(message.occurredAt)),
    escaped(message.body ?? message.template?.name ?? null),
    escaped(message.file),
    referenceCell(message.referenceId),
    escaped(reasonOf(message)),
  ]
  return {
    head: `${BOM}${Object.values(words.columns).join(separator)}\r\n`,
    line: (message, code) => `${cells(message, code).join(separator)}\r\n`,
  }
}

const referenceCell = (reference: string | null): string =>
  reference !== null && /^\d{10,}$/.test(reference) ? asText(reference) : escaped(reference)
