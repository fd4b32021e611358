import { formatPhone, isGroupId, mayLackZero, normalisePhone } from '../../contract/phone.ts'
import { fillIn, ownFieldsOf, wordsOf } from '../../contract/placeholders.ts'
import { hasFraction, unquoted } from '../../lib/phone-column.ts'
import { LONGEST_TEXT, type RowRefusal, type TablePlan } from './contract.ts'

/** Everything besides its cells that decides about a row. */
export interface RowRules {
  plan: TablePlan
  columns: readonly string[]
  files: DroppedFiles
  numbers: NumberRules
  /** Values of the placeholders that Kurir fills in itself. */
  known: { date: string; time: string; sender: string }
}

export interface RowMessage {
  phone: string | undefined
  group: string | undefined
  message: string
  fileId: string | undefined
  filename: string | undefined
  restored: boolean
}

type Judged = { ok: true; message: RowMessage } | { ok: false; refusal: RowRefusal }

/** Returns a row's message, or the reason why it gets none. Pure. */
export function judgeRow({ plan, columns, files, numbers, known }: RowRules, cells: readonly string[]): Judged {
  const cellOf = (column: string): string => cells[columns.indexOf(column)] ?? ''
  const number = readNumber(cellOf(plan.phone_column), numbers)
  if (number.kind === 'problem') return refuse(number.problem, cellOf(plan.phone_column))
  if (number.kind === 'group' && plan.purpose === 'marketing') return refuse('group_no_marketing', number.group)
  const values = valuesOf(columns, cells)
  const empty = wordsOf(plan.message).find((word) => values[word] === '')
  if (empty !== undefined) return refuse('empty_field', empty)
  const fileName = plan.file_column === null ? '' : cellOf(plan.file_column).trim()
  const file = fileName === '' ? undefined : files.get(nameIn(fileName))
  if (fileName !== '' && file === undefined) return refuse('file_missing', fileName)
  const phone = number.kind === 'phone' ? number.phone : undefined
  const message = fillIn(plan.message, { ...known, phone: phone === undefined ? '' : formatPhone(phone) }, values)
  if (message.trim() === '' && file === undefined) return refuse('empty_message', '')
  if (message.length > LONGEST_TEXT) return refuse('too_long', String(message.length))
  return {
    ok: true,
    message: {
      phone,
      group: number.kind === 'group' ? number.group : undefined,
      message,
      fileId: file?.id,
      filename: file?.name,
      restored: number.kind === 'phone' && number.restored,
    },
  }
}

const refuse = (code: RowRefusal['code'], value: string): Judged => ({
  ok: false,
  refusal: { code, value: value.slice(0, 200) },
})

/** Chosen files by lower-case name, and also by name without extension where that is unique. */
type DroppedFiles = ReadonlyMap<string, { name: string; id: string }>

export function droppedFiles(files: TablePlan['files']): DroppedFiles {
  const whole = new Map(Object.entries(files).map(([name, id]) => [spelt(name), { name, id }]))
  const found = new Map(whole)
  for (const [stem, [one, ...others]] of Map.groupBy(whole.values(), ({ name }) =>
    spelt(name).replace(/\.[^.]*$/, ''),
  )) {
    // If two files differ only in their extension, just the full name is accepted.
    if (one !== undefined && others.length === 0 && !whole.has(stem)) found.set(stem, one)
  }
  return found
}

/** Returns the file name of a path in a cell. */
const nameIn = (path: string): string => spelt(path.replaceAll('\\', '/').split('/').at(-1) ?? '')

type NumberProblem = 'no_number' | 'shortened' | 'zero_lost' | 'no_country_code' | 'not_a_phone'

type ReadNumber =
  | { kind: 'phone'; phone: string; restored: boolean }
  | { kind: 'group'; group: string }
  | { kind: 'problem'; problem: NumberProblem }

interface NumberRules {
  /** Country of the sender; null: unknown. */
  country: string | null
  /** The owner confirmed that numbers lost their leading 0. */
  restoreZero: boolean
  isGroup: (name: string) => boolean
}

/**
 * Reads a number as a spreadsheet writes it. Ambiguous numbers are refused, not guessed:
 * 81234567890 is a number in Japan, or an Indonesian one that lost its 0. Pure.
 */
export function readNumber(cell: string, { country, restoreZero, isGroup }: NumberRules): ReadNumber {
  const text = unquoted(cell)
  if (text === '') return { kind: 'problem', problem: 'no_number' }
  if (isGroupId(text) || isGroup(text)) return { kind: 'group', group: text }
  if (/^[\d.,]+e\+?\d+$/i.test(text)) return { kind: 'problem', problem: 'shortened' }
  if (hasFraction(text)) return { kind: 'problem', problem: 'not_a_phone' }
  if (!mayLackZero(text, country)) return read(text, country, false)
  return restoreZero ? read(`0${text.replace(/\D/g, '')}`, country, true) : { kind: 'problem', problem: 'zero_lost' }
}

function read(text: string, country: string | null, restored: boolean): ReadNumber {
  const result = normalisePhone(text, country)
  if (result.ok) return { kind: 'phone', phone: result.phone, restored }
  return { kind: 'problem', problem: result.problem === 'no_country_code' ? 'no_country_code' : 'not_a_phone' }
}

const FILE_NAME = /(^|[^a-z])(file|berkas|lampiran|pdf|dokumen|attachment)([^a-z]|$)/i

const spelt = (name: string): string => name.trim().toLowerCase()

/** Returns the placeholders of a text that neither Kurir nor a column fills in. */
export function unknownFields(text: string, columns: readonly string[]): string[] {
  const names = new Set(columns.map(spelt))
  return ownFieldsOf(text).filter((word) => !names.has(word))
}

/** Returns a row's cells by placeholder name. */
const valuesOf = (columns: readonly string[], cells: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((name, at) => [spelt(name), (cells[at] ?? '').trim()]))

export const guessFile = (columns: readonly string[]): string | null =>
  columns.find((name) => FILE_NAME.test(name)) ?? null
