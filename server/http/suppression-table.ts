import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import { ApiError, type FieldError } from '../contract/errors.ts'
import { isUserId, mayLackZero, normalisePhone, type PhoneResult } from '../contract/phone.ts'
import {
  IMPORT_MAX_LINES,
  SUPPRESSION_SCOPES,
  type SuppressionView,
  type suppressionCheckAnswer,
  type suppressionImportAnswer,
  suppressionScope,
} from '../contract/suppressions.ts'
import { guessPhone, hasFraction, hasNames, isPhoneName, unquoted } from '../lib/phone-column.ts'
import { StorageError } from '../lib/storage-error.ts'
import { readInThread } from '../media/spreadsheets/reading.ts'
import { TableRefused } from '../media/spreadsheets/refused.ts'
import type { SheetBounds, SheetLine } from '../media/spreadsheets/xlsx.ts'
import type { MessageContext } from '../messages/context.ts'
import { addOptOut } from '../senders/customers.ts'
import type { OptOut, SenderStore, Store, Suppression } from '../store/index.ts'
import { fieldProblem } from '../words/errors.ts'
import { readFile } from './body.ts'
import { countriesOf } from './message-filter.ts'
import { writePages } from './response.ts'

const MAX_BYTES = 8 * 1024 * 1024
const PAGE = 500
const AT_ONCE = 100
/** Lines that are read in one turn of the event loop. */
const AT_A_STRETCH = 500
const MOST_REFUSED = 50
const LOOKED_AT = 50
const SHOWN = 3
const COLUMNS = ['phone', 'scope', 'sender_code', 'source', 'at'] as const

const BOUNDS: SheetBounds = {
  rows: IMPORT_MAX_LINES,
  columns: 60,
  inflated: 48 * 1024 * 1024,
  text: MAX_BYTES,
}

/** A line of a table. `typed`: a number as a shop writes it. `phone`: one as Kurir exports it. */
interface Row {
  line: number
  cells: Partial<Record<(typeof COLUMNS)[number] | 'typed', string>>
}

type ImportResult = z.infer<typeof suppressionImportAnswer>['data']
type CheckResult = z.infer<typeof suppressionCheckAnswer>['data']

/**
 * Reads the rows of a CSV or XLSX file, with or without a line of column names.
 * @throws ApiError `payload_too_large`, `table_unreadable`
 */
export async function readTable(req: IncomingMessage): Promise<Row[]> {
  const bytes = await readFile(req, MAX_BYTES, 'The table is larger than 8 MiB.')
  const job = { bytes, language: 'en' as const, bounds: BOUNDS }
  const { names, portions } = await readInThread(job).catch((error: unknown) => {
    throw error instanceof TableRefused ? unreadable(error) : error
  })
  // Without column names the first line is a row: it has a number, or a fault to report.
  return rowsOf(names === null ? portions : [[names], ...portions])
}

const unreadable = ({ why }: TableRefused): ApiError =>
  why.startsWith('too_')
    ? new ApiError('payload_too_large', `The table is too large: at most ${IMPORT_MAX_LINES} lines and 60 columns.`)
    : new ApiError('table_unreadable', 'This is no table with numbers. Save it as CSV or XLSX.')

async function rowsOf(portions: readonly SheetLine[][]): Promise<Row[]> {
  const some = portions.slice(0, 2).flat()
  const { names, order } = columnsOf(
    (some[0]?.cells ?? []).map(unquoted),
    some.slice(1, 1 + LOOKED_AT).map(({ cells }) => cells.map(unquoted)),
  )
  const rows: Row[] = []
  for (const portion of portions) {
    await setImmediate()
    for (const { line, cells } of portion)
      rows.push({ line, cells: Object.fromEntries(cells.map((cell, column) => [order[column] ?? '', unquoted(cell)])) })
  }
  return names ? rows.slice(1) : rows
}

/**
 * Returns the name of each column in order; only columns of Kurir's names are read. A shop's list
 * has names, notes and headings of its own beside the numbers.
 */
function columnsOf(
  first: readonly string[],
  others: readonly string[][],
): { names: boolean; order: readonly string[] } {
  const names = first.map((cell) => cell.toLowerCase())
  // A shop may use one of these names too, so only the whole line shows an export of Kurir.
  if (names.join() === COLUMNS.join()) return { names: true, order: names }
  if (hasNames(first) && first.some(isPhoneName)) {
    const phone = first.indexOf(guessPhone(first, others) ?? first.find(isPhoneName) ?? '')
    return { names: true, order: names.map((name, at) => (at === phone ? 'typed' : name === 'phone' ? '' : name)) }
  }
  const hasScopes = [first, ...others].some(([, scope]) => suppressionScope.safeParse(scope).success)
  return { names: false, order: hasScopes ? ['typed', 'scope', 'sender_code'] : ['typed'] }
}

/** Resolves with the valid rows of a table, and the faults of the others. */
async function understand({ store: { senders } }: MessageContext, rows: readonly Row[]) {
  const countryCode = onlyCountryOf(senders)
  const wanted: OptOut[] = []
  const refused: ImportResult['refused'] = []
  let count = 0
  for (const [at, { line, cells }] of rows.entries()) {
    if (at % AT_A_STRETCH === 0) await setImmediate()
    const read = readRow(cells, senders, countryCode)
    if (read.ok) wanted.push(read.row)
    else {
      count += 1
      if (refused.length < MOST_REFUSED) refused.push({ line, ...read.problem })
    }
  }
  return { wanted, refused, refused_count: count }
}

/** Resolves with how an import would read the table. */
export async function checkTable(context: MessageContext, rows: readonly Row[]): Promise<CheckResult> {
  const { wanted, ...others } = await understand(context, rows)
  const { senders } = context.store
  const first = wanted.slice(0, SHOWN).map(({ phone, scope, senderId }) => ({
    phone,
    scope,
    sender_code: senderId === null ? null : senders.codeOf(senderId),
  }))
  return { count: wanted.length, first, ...others }
}

/** Imports the valid lines of a table, and reports the others. */
export async function importTable(context: MessageContext, rows: readonly Row[]): Promise<ImportResult> {
  const { wanted, ...others } = await understand(context, rows)
  let added = 0
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    // `false`: a table without scopes must not narrow an opt-out from all messages.
    const portion = wanted
      .slice(at, at + AT_ONCE)
      .map((each) => ({ ...each, source: 'owner' as const, at: context.now() }))
    const results = await Promise.allSettled(portion.map((each) => addOptOut(context, each, false)))
    const refusal = results.find((result) => result.status === 'rejected')
    if (refusal !== undefined)
      throw refusal.reason instanceof StorageError ? endedEarly(refusal.reason) : refusal.reason
    added += results.filter((result) => result.status === 'fulfilled' && result.value).length
  }
  return { added, ...others }
}

/** Returns the error of a partial import. Its extent is unknown: the owner repeats all of it. */
const endedEarly = ({ message }: StorageError): ApiError =>
  new ApiError(
    'storage_unavailable',
    `${message} Only a part of the table was taken. Import the whole table again: what is noted already stays as it is.`,
    { retry_after: 5 },
  )

/**
 * Returns the country code for `0812…` in a line without a sender: that of all senders. Null: they
 * have several, or none.
 */
function onlyCountryOf(senders: SenderStore): string | null {
  const [country, ...others] = new Set(countriesOf(senders))
  return others.length === 0 ? (country ?? null) : null
}

/** Reads a number, or Meta's user ID, because an export contains both. */
const readPhone = (cell: string, countryCode: string | null): PhoneResult =>
  isUserId(cell) ? { ok: true, phone: cell } : normalisePhone(cell, countryCode)

type Read = { ok: true; row: OptOut } | { ok: false; problem: FieldError }

const wrong = (...about: Parameters<typeof fieldProblem>): Read => ({ ok: false, problem: fieldProblem(...about) })

function readRow(row: Row['cells'], senders: SenderStore, countryCode: string | null): Read {
  const sender = row.sender_code ? senders.byCode(row.sender_code) : undefined
  if (row.sender_code && sender === undefined) return wrong('sender_code', 'no_such_sender')
  const country = sender?.settings.country_code ?? countryCode
  // 81234567890 is a number in Japan, or one in Indonesia whose 0 a spreadsheet removed.
  const typed = row.typed ?? ''
  if (mayLackZero(typed, country)) return wrong('phone', 'no_country_code')
  if (hasFraction(typed)) return wrong('phone', 'not_a_phone')
  const phone = readPhone(row.phone ?? typed, country)
  if (!phone.ok) return wrong('phone', phone.problem)
  const scope = suppressionScope.safeParse(row.scope || 'marketing')
  if (!scope.success) return wrong('scope', 'not_one_of', { allowed: [...SUPPRESSION_SCOPES] })
  return { ok: true, row: { phone: phone.phone, senderId: sender?.id ?? null, scope: scope.data } }
}

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
