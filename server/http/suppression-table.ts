import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import { ApiError } from '../contract/errors.ts'
import { isUserId, normalisePhone, type PhoneResult } from '../contract/phone.ts'
import {
  IMPORT_MAX_LINES,
  SUPPRESSION_SCOPES,
  type SuppressionView,
  type suppressionImportAnswer,
  suppressionScope,
} from '../contract/suppressions.ts'
import { decodeText } from '../lib/charset.ts'
import { readCsvRecord } from '../lib/csv.ts'
import { guessPhone, hasNames, isPhoneName, mayLackZero } from '../lib/phone-column.ts'
import { StorageError } from '../lib/storage-error.ts'
import { inPortions } from '../lib/turns.ts'
import type { MessageContext } from '../messages/context.ts'
import { addOptOut } from '../senders/opt-outs.ts'
import type { SenderStore, Store, Suppression } from '../store/index.ts'
import { fieldProblem } from '../words/errors.ts'
import { refuseTooLong, streamBody } from './body.ts'
import { countriesOf } from './message-filter.ts'
import { writePages } from './write-pages.ts'

const MAX_BYTES = 8 * 1024 * 1024
const PAGE = 500
const AT_ONCE = 100
/** Lines that are read in one turn of the event loop, and letters of one line. */
const AT_A_STRETCH = 500
const LONGEST_LINE = 16 * 1024
const MOST_REFUSED = 50
const LOOKED_AT = 50
const COLUMNS = ['phone', 'scope', 'sender_code', 'source', 'at'] as const

const EXCEL = 'This is an Excel workbook. Save it as CSV in Excel, and import the CSV.'

/** A line of a table. `typed` is a number as a shop writes it, `phone` one as Kurir does. */
type Row = Partial<Record<(typeof COLUMNS)[number] | 'typed', string>>

type ImportResult = z.infer<typeof suppressionImportAnswer>['data']
type Problem = Omit<ImportResult['refused'][number], 'line'>

/**
 * The lines of a table as spreadsheets write it: commas, semicolons or tabs; with a line of names,
 * or numbers alone.
 * @throws ApiError `payload_too_large`, `unsupported_media_type`
 */
export async function readTable(req: IncomingMessage): Promise<Row[]> {
  const tooLarge = 'The table is larger than 8 MiB.'
  refuseTooLong(req, MAX_BYTES, tooLarge)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of streamBody(req)) {
    size += chunk.length
    if (size > MAX_BYTES) throw new ApiError('payload_too_large', tooLarge)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') throw new ApiError('unsupported_media_type', EXCEL)
  return parseTable(decodeText(bytes, undefined).text)
}

/** @throws ApiError `payload_too_large` */
export async function parseTable(text: string): Promise<Row[]> {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (lines.length > IMPORT_MAX_LINES) {
    throw new ApiError('payload_too_large', `A table may have ${IMPORT_MAX_LINES} lines. Split it.`)
  }
  // Excel names its separator in a line of its own.
  if (/^sep=.$/i.test(lines[0] ?? '')) lines[0] = ''
  if (lines.some((line) => line.length > LONGEST_LINE))
    throw new ApiError('payload_too_large', `A line of a table may have ${LONGEST_LINE} letters.`)
  const cells: string[][] = []
  for await (const some of inPortions(lines, AT_A_STRETCH)) cells.push(...some.map(cellsOf))
  const head = Math.max(0, cells.findIndex(isFilled))
  const { names, order } = columnsOf(cells[head] ?? [], cells.slice(head + 1, head + 1 + LOOKED_AT))
  const rowOf = (its: readonly string[]): Row =>
    Object.fromEntries(its.map((cell, column) => [order[column] ?? '', cell]))
  const rows: Row[] = []
  for await (const some of inPortions(cells, AT_A_STRETCH)) rows.push(...some.map(rowOf))
  if (names) rows[head] = {}
  return rows
}

const isFilled = (cells: readonly string[]): boolean => cells.some((cell) => cell !== '')

/**
 * Names the columns that are read, in their order. Lists of shops have names, notes and headings
 * of their own beside the numbers.
 */
function columnsOf(
  first: readonly string[],
  others: readonly string[][],
): { names: boolean; order: readonly string[] } {
  const names = first.map((cell) => cell.toLowerCase())
  if (names.includes('phone')) return { names: true, order: names }
  if (hasNames(first) && first.some(isPhoneName)) {
    const phone = first.indexOf(guessPhone(first, others) ?? first.find(isPhoneName) ?? '')
    return { names: true, order: names.map((name, at) => (at === phone ? 'typed' : name)) }
  }
  const hasScopes = [first, ...others].some(([, scope]) => suppressionScope.safeParse(scope).success)
  return { names: false, order: hasScopes ? ['typed', 'scope', 'sender_code'] : ['typed'] }
}

const cellsOf = (line: string): string[] =>
  readCsvRecord(line, 0, ',;\t').cells.map((cell) =>
    cell
      .trim()
      .replace(/^="(.*)"$/, '$1')
      .replace(/^'/, '')
      .trim(),
  )

/** Takes the good lines of a table and names the others. */
export async function importTable(context: MessageContext, rows: readonly Row[]): Promise<ImportResult> {
  const { senders } = context.store
  const refused: ImportResult['refused'] = []
  let count = 0
  let added = 0
  const wanted: Suppression[] = []
  const countryCode = onlyCountryOf(senders)
  for (const [at, row] of rows.entries()) {
    if (at % AT_A_STRETCH === 0) await setImmediate()
    if (Object.values(row).every((cell) => cell === '')) continue
    const read = readRow(row, senders, countryCode)
    if (read.ok) wanted.push({ ...read.row, source: 'owner', at: context.now() })
    else {
      count += 1
      if (refused.length < MOST_REFUSED) refused.push({ line: at + 1, ...read.problem })
    }
  }
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    // A table without scopes does not say that somebody wants messages after all.
    const portion = wanted.slice(at, at + AT_ONCE)
    const results = await Promise.allSettled(portion.map((each) => addOptOut(context, each, false)))
    const refusal = results.find((result) => result.status === 'rejected')
    if (refusal !== undefined)
      throw refusal.reason instanceof StorageError ? endedEarly(refusal.reason) : refusal.reason
    added += results.filter((result) => result.status === 'fulfilled' && result.value).length
  }
  return { added, refused, refused_count: count }
}

/** Nobody can say how much of the table was taken: it is taken again as a whole. */
const endedEarly = ({ message }: StorageError): ApiError =>
  new ApiError(
    'storage_unavailable',
    `${message} Only a part of the table was taken. Import the whole table again: what is noted already stays as it is.`,
    { retry_after: 5 },
  )

/**
 * The country in which `0812…` is meant where the line names no sender: that of all numbers of the
 * owner, if it is one.
 */
function onlyCountryOf(senders: SenderStore): string | null {
  const [country, ...others] = new Set(countriesOf(senders))
  return others.length === 0 ? (country ?? null) : null
}

/** An export has customers by their number, or by Meta's ID of them. */
const readPhone = (cell: string, countryCode: string | null): PhoneResult =>
  isUserId(cell) ? { ok: true, phone: cell } : normalisePhone(cell, countryCode)

type Read = { ok: true; row: Pick<Suppression, 'phone' | 'senderId' | 'scope'> } | { ok: false; problem: Problem }

const wrong = (...about: Parameters<typeof fieldProblem>): Read => ({ ok: false, problem: fieldProblem(...about) })

/** A line of the table, or what is wrong with it. */
function readRow(row: Row, senders: SenderStore, countryCode: string | null): Read {
  const sender = row.sender_code ? senders.byCode(row.sender_code) : undefined
  if (row.sender_code && sender === undefined) return wrong('sender_code', 'no_such_sender')
  const country = sender?.settings.country_code ?? countryCode
  // 81234567890 is somebody in Japan, or somebody in Indonesia whose 0 a spreadsheet took away.
  const typed = row.typed ?? ''
  if (country !== null && !typed.startsWith(country) && mayLackZero(typed, country))
    return wrong('phone', 'no_country_code')
  const phone = readPhone(row.phone ?? typed, country)
  if (!phone.ok) return wrong('phone', phone.problem)
  const scope = suppressionScope.safeParse(row.scope || 'marketing')
  if (!scope.success) return wrong('scope', 'not_one_of', { allowed: [...SUPPRESSION_SCOPES] })
  return { ok: true, row: { phone: phone.phone, senderId: sender?.id ?? null, scope: scope.data } }
}

/** Writes all opt-outs as a table. */
export async function writeTable(
  { suppressions }: Store,
  view: (row: Suppression) => SuppressionView,
  res: ServerResponse,
): Promise<void> {
  let before: number | undefined
  await writePages(res, `\ufeff${COLUMNS.join(',')}\r\n`, async () => {
    const rows = await suppressions.list({ before, limit: PAGE })
    before = rows.at(-1)?.id
    const lines = rows.map(view).map((row) => `${COLUMNS.map((name) => row[name] ?? '').join(',')}\r\n`)
    return { text: lines.join(''), more: rows.length === PAGE }
  })
}
