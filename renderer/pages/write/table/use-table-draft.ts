import { useEffect, useState } from 'react'
import { fillIn, ownFieldsOf } from '../../../../server/contract/placeholders.ts'
import type { SenderView } from '../../../../server/contract/senders.ts'
import type { TableView } from '../../../../server/slices/tables/contract.ts'
import type { Plan } from '../../../api/tables.ts'
import { useFormat } from '../../../hooks/use-format.ts'
import { asTyped, sendAt } from '../../../model/send-at.ts'
import { usualSender } from '../usual-sender.ts'

const spelt = (name: string) => name.trim().toLowerCase()

const startOf = ({ guess, plan }: TableView) => ({
  sender_code: plan?.sender_code ?? null,
  phone_column: plan?.phone_column ?? guess.phone_column,
  message: plan?.message ?? '',
  /** Id of the saved text that the message came from. */
  chosen: null as string | null,
  file_column: plan === null ? guess.file_column : plan.file_column,
  /** Ids of uploaded files by file name. */
  files: {} as Readonly<Record<string, string>>,
  purpose: plan?.purpose ?? 'transactional',
  at: plan?.send_at == null ? '' : asTyped(plan.send_at),
  /** True if the field for the time holds only a part of a time. */
  atIncomplete: false,
  restore_zero: plan?.restore_zero ?? false,
})

type Fields = ReturnType<typeof startOf>

const keyOf = (tableId: string) => `kurir.table.${tableId}`

/** Removes what this window kept of a draft. */
export const forgetTableDraft = (tableId: string): void => sessionStorage.removeItem(keyOf(tableId))

/** Returns the draft as this window last kept it. */
function keptOf(key: string): Partial<Fields> {
  const kept = sessionStorage.getItem(key)
  return kept === null ? {} : { ...(JSON.parse(kept) as Fields), atIncomplete: false }
}

export type TableDraft = ReturnType<typeof useTableDraft>

/** State of a table's message that is being written, and the plan for its call. */
export function useTableDraft(table: TableView, senders: readonly SenderView[]) {
  const format = useFormat()
  const key = keyOf(table.id)
  const [fields, setFields] = useState<Fields>(() => ({ ...startOf(table), ...keptOf(key) }))
  // A planned table may become a draft again.
  const isDraft = table.state === 'draft' || table.state === 'planned'
  useEffect(() => {
    if (isDraft) sessionStorage.setItem(key, JSON.stringify(fields))
    else forgetTableDraft(table.id)
  }, [key, table.id, fields, isDraft])
  const choices = ['linked', 'sandbox'].flatMap((kind) => senders.filter((one) => one.kind === kind))
  const sender = choices.find((one) => one.sender_code === fields.sender_code) ?? usualSender(choices, undefined)
  const { phone_column, file_column, message, files, purpose, restore_zero } = fields
  const columns = new Set(table.columns.map(spelt))
  const when = sendAt(fields.at, fields.atIncomplete, Date.now())
  const unknown = ownFieldsOf(message).filter((word) => !columns.has(word))
  const isEmpty = message.trim() === '' && file_column === null
  const isIncomplete = sender === undefined || phone_column === null || isEmpty

  const plan: Plan | null =
    isIncomplete || unknown.length > 0 || 'wrong' in when
      ? null
      : {
          sender_code: sender.sender_code,
          ...{ phone_column, message, file_column, purpose, restore_zero },
          files: file_column === null ? {} : { ...files },
          send_at: when.at ?? null,
        }

  /** Returns the message of one of the first rows, for the preview before the check. */
  function written(cells: readonly string[]): string {
    const now = new Date().toISOString()
    const values = Object.fromEntries(table.columns.map((name, at) => [spelt(name), (cells[at] ?? '').trim()]))
    const phone = cells[table.columns.indexOf(phone_column ?? '')] ?? ''
    const known = { date: format.date(now), time: format.clock(now), phone, sender: sender?.name ?? '' }
    return fillIn(message, known, values)
  }

  return {
    ...{ ...fields, choices, sender, unknown, isIncomplete, plan, written },
    wrongTime: 'wrong' in when ? when.wrong : null,
    set: (change: Partial<Fields>) => setFields((before) => ({ ...before, ...change })),
    /** Adds an uploaded file to the present state, because several uploads may end in turn. */
    addFile: (name: string, id: string) =>
      setFields((before) => ({ ...before, files: { ...before.files, [name]: id } })),
  }
}
