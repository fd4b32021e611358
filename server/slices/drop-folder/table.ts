import { createHash } from 'node:crypto'
import { MOST_TABLE_BYTES } from '../../contract/dropped-tables.ts'
import { ApiError } from '../../contract/errors.ts'
import { readStart } from '../../lib/read-body.ts'
import type { SenderRow } from '../../store/index.ts'
import {
  type DropContext,
  digestOf,
  Held,
  openContent,
  refuse,
  refuseOverLimit,
  sent,
  type Verdict,
  waitFor,
} from './context.ts'
import type { DropFolderSettings } from './contract.ts'
import { type Found, look, type Places } from './folder.ts'
import { refusedName } from './name.ts'
import type { DropRow } from './store.ts'

/**
 * Judges a table and has its rows accepted. Resolves with undefined if the file changed meanwhile.
 * The row in `drops` and the table share one id, so a table is sent once.
 * @throws Held, or a temporary error
 */
export async function judgeTable(
  context: DropContext,
  places: Places,
  file: Found,
  settings: DropFolderSettings,
  { code }: SenderRow,
): Promise<Verdict | undefined> {
  const { drops, messaging } = context
  const { newId, now } = messaging
  const { name } = file
  const wrong = refusedName(name)
  if (wrong !== undefined) return refuse(wrong)
  if (file.size === 0) return refuse('empty')
  if (file.size > MOST_TABLE_BYTES) return refuse('table_too_large')
  const bytes = await readStart(await openContent(context, file, settings), MOST_TABLE_BYTES + 1)
  if ((await look(places.inbox, name))?.print !== file.print || bytes.length !== file.size) return undefined
  const digest = digestOf(name, createHash('sha256').update(bytes).digest('hex'))
  const known = await knownBy(context, digest)
  if (known?.status === 'moved') return refuse('sent_before')
  const id = known?.id ?? newId()
  let isOver = false
  let isAllowed = false

  async function allow(rows: number): Promise<void> {
    isAllowed = true
    if (known !== undefined) return drops.change(id, { rows })
    isOver = rows > settings.daily_limit
    await refuseOverLimit(context, settings, rows)
    const row = { id, at: now(), digest, name, rows, movedAs: null, reason: null, phone: null, reference: null }
    await drops.add({ ...row, status: 'new' })
  }

  try {
    const text = settings.table_text
    const isTaken = known?.status === 'accepted'
    const taken = await context.tables.take({ id, isTaken, name, bytes, senderCode: code, text, allow })
    if (!taken.sent) return refuse(taken.why, known?.id, taken.refused)
    await drops.change(id, { status: 'accepted', reason: taken.refused.length === 0 ? null : 'some_rows' })
    return sent(id, taken.refused)
  } catch (error) {
    if (isOver) return refuse('table_over_limit')
    if (!(error instanceof ApiError)) throw error
    // A conflict before allow() means that too many tables wait. After it, the next look tries
    // again.
    if (error.code === 'conflict' && !isAllowed) throw new Held('tables_full')
    waitFor(error)
    throw error
  }
}

/**
 * Finds the row of the same table. A table of which nothing was sent may come again, and stops
 * counting towards the limit.
 */
async function knownBy({ drops, tables }: DropContext, digest: string): Promise<DropRow | undefined> {
  const row = await drops.byDigest(digest)
  if (row?.status !== 'moved' || (row.rows !== 0 && !(await tables.forgetUnsent(row.id)))) return row
  await drops.change(row.id, { digest: null, rows: 0 })
  return undefined
}
