import { formatPhone } from '../contract/phone.ts'
import { fillIn } from '../contract/placeholders.ts'
import { fieldsOf, valuesOf } from './columns.ts'
import type { RowRefusal, TablePlan } from './contract.ts'
import { LONGEST_TEXT } from './contract.ts'
import { readNumber } from './number.ts'

/** Facts of a plan that hold for every row of its table. */
export interface PlanFacts {
  plan: TablePlan
  columns: readonly string[]
  country: string | null
  isGroup: (name: string) => boolean
  /** Words in braces that Kurir knows by itself. */
  known: { date: string; time: string; sender: string }
}

/** A message that a row asks for. */
export interface RowMessage {
  phone: string | undefined
  group: string | undefined
  message: string
  fileId: string | undefined
  filename: string | undefined
  restored: boolean
}

export type Judged = { ok: true; message: RowMessage } | { ok: false; refusal: RowRefusal }

const refuse = (code: RowRefusal['code'], value: string): Judged => ({
  ok: false,
  refusal: { code, value: value.slice(0, 200) },
})

const spelt = (name: string): string => name.trim().toLowerCase()

/** Dropped files by their name, however it is spelt in the table: with its ending or without. */
export function createFileFinder(files: TablePlan['files']): (name: string) => [name: string, id: string] | undefined {
  const whole = new Map(Object.entries(files).map(([name, id]) => [spelt(name), [name, id] as [string, string]]))
  const stems = Map.groupBy(whole, ([name]) => name.replace(/\.[^.]*$/, ''))
  return (written) => {
    const name = spelt(written.replaceAll('\\', '/').split('/').at(-1) ?? '')
    // Two of one name with different endings: only the whole name says which one.
    const [only, ...others] = stems.get(name) ?? []
    return whole.get(name) ?? (others.length === 0 ? only?.[1] : undefined)
  }
}

/** Judges rows: the message that one asks for, or why nothing is made of it. Pure. */
export function createJudge({
  plan,
  columns,
  country,
  isGroup,
  known,
}: PlanFacts): (cells: readonly string[]) => Judged {
  const findFile = createFileFinder(plan.files)
  const phoneAt = columns.indexOf(plan.phone_column)
  const fileAt = plan.file_column === null ? -1 : columns.indexOf(plan.file_column)
  const fields = fieldsOf(plan.message, columns).used
  return (cells) => {
    const number = readNumber(cells[phoneAt] ?? '', { country, restoreZero: plan.restore_zero, isGroup })
    if (number.kind === 'problem') return refuse(number.problem, cells[phoneAt] ?? '')
    if (number.kind === 'group' && plan.purpose === 'marketing') return refuse('group_no_marketing', number.group)
    const values = valuesOf(columns, cells)
    const empty = fields.find((field) => !values[field])
    if (empty !== undefined) return refuse('empty_field', empty)
    const fileName = fileAt === -1 ? '' : (cells[fileAt] ?? '').trim()
    const file = fileName === '' ? undefined : findFile(fileName)
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
        fileId: file?.[1],
        filename: file?.[0],
        restored: number.kind === 'phone' && number.restored,
      },
    }
  }
}
