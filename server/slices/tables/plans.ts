import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../contract/errors.ts'
import { LOCALES } from '../../contract/settings.ts'
import { DAY, SECOND } from '../../lib/clock.ts'
import { queueEnd } from '../../messages/gates.ts'
import { groupsOf } from '../../messages/groups.ts'
import { countryOf, pickSender } from '../../senders/pick.ts'
import type { SenderRow } from '../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import type { TableContext } from './context.ts'
import { type TablePlan, tablePlan } from './contract.ts'
import { droppedFiles, type RowRules, unknownFields } from './judge.ts'
import type { TableLine, TableRow } from './store.ts'

/** Stored form of a plan. `ttl`: lifetime of its messages in seconds, from when they are due. */
export const storedPlan = tablePlan.extend({ ttl: z.number() })
export type StoredPlan = z.infer<typeof storedPlan>

// Default and maximum lifetime of a message.
const USUAL_LIFE = 7 * DAY
const LONGEST_LIFE = 30 * DAY

export interface PreparedPlan extends RowRules {
  sender: SenderRow
}

/** @throws ApiError `sender_not_found`, `sender_kind_mismatch`, `invalid_request` */
export async function preparePlan(
  { messaging, settings }: TableContext,
  { columns }: TableRow,
  plan: TablePlan,
  now: number,
): Promise<PreparedPlan> {
  const { senders, groups } = messaging.store
  const sender = pickSender(senders, null, plan.sender_code, 'linked')
  for (const name of ['phone_column', 'file_column'] as const) {
    const column = plan[name]
    if (column !== null && !columns.includes(column))
      throw invalidRequest([fieldProblem(name, 'not_one_of', { allowed: columns })])
  }
  const groupNames = new Set((await groupsOf(groups, sender)).map(({ name }) => name.normalize()))
  const at = plan.send_at === null ? now : Math.max(Date.parse(plan.send_at), now)
  const format = (style: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(LOCALES[settings().language], style).format(at)
  return {
    plan,
    sender,
    columns,
    files: droppedFiles(plan.files),
    numbers: {
      country: countryOf(senders, sender),
      restoreZero: plan.restore_zero,
      isGroup: (name) => groupNames.has(name.normalize()),
    },
    known: { date: format({ dateStyle: 'long' }), time: format({ timeStyle: 'short' }), sender: sender.settings.name },
  }
}

export interface LoadedPlan {
  stored: StoredPlan
  prepared: PreparedPlan
}

/** @throws ApiError `sender_not_found` */
export async function loadPlan(context: TableContext, table: TableRow): Promise<LoadedPlan> {
  const stored = storedPlan.parse(JSON.parse((await context.tables.planOf(table.id)) ?? '{}'))
  // Fill in the date and time of the moment at which the owner confirmed the preview.
  return { stored, prepared: await preparePlan(context, table, stored, table.plannedAt ?? context.messaging.now()) }
}

/** @throws ApiError `invalid_request` if the text has placeholders that are no column */
export function refuseUnknownFields({ message }: TablePlan, columns: readonly string[]): void {
  const unknown = unknownFields(message, columns)
  if (unknown.length === 0) return
  const reason = `names columns that the table does not have: ${unknown.map((word) => `{${word}}`).join(', ')}`
  throw invalidRequest([fieldProblem('message', 'other', { reason })])
}

/**
 * Estimates when the last of `count` more messages leaves after all waiting ones; null: too late.
 */
export async function endOf(
  { messaging }: TableContext,
  sender: SenderRow,
  sendAt: string | null,
  count: number,
  now: number,
): Promise<number | null> {
  const { queues, sendingState } = messaging.store
  const state = await sendingState.get(sender.id)
  const due = sendAt === null ? now : Math.max(Date.parse(sendAt), now)
  const ends = [
    queueEnd(sender.settings, state, queues.waiting(sender.id) + count, now),
    queueEnd(sender.settings, state, count, due),
  ]
  const last = ends.includes(null) ? null : Math.max(...ends.map(Number))
  return last === null || last > due + LONGEST_LIFE - DAY ? null : last
}

/** Returns a lifetime in seconds that is long enough for the last message of a long table. */
export function lifeOf(sendAt: string | null, ends: number, now: number): number {
  const due = sendAt === null ? now : Math.max(Date.parse(sendAt), now)
  return Math.round(Math.min(LONGEST_LIFE, Math.max(USUAL_LIFE, 2 * (ends - due))) / SECOND)
}

/** @throws ApiError `invalid_request` */
export function refuseFarAhead(sendAt: string | null, now: number): void {
  if (sendAt !== null && Date.parse(sendAt) > now + LONGEST_LIFE)
    throw invalidRequest([fieldProblem('send_at', 'too_far_ahead', { days: 30 })])
}

/**
 * Returns the id of a row's message. It is derived from the table, so that after a crash an
 * accepted row is recognized. It has the form of every message id, with the time of the owner's
 * confirmation.
 */
export function messageIdOf({ id, plannedAt }: TableRow, { row, tries }: TableLine): string {
  const head = (plannedAt ?? 0).toString(16).padStart(12, '0')
  const hash = createHash('sha256').update(`${id} ${row} ${tries}`).digest('hex')
  const variant = '89ab'[Number.parseInt(hash.slice(3, 4), 16) % 4]
  return `${head.slice(0, 8)}-${head.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`
}

export const unknownTable = () => new ApiError('not_found', 'There is no such table.')
