import { type BinaryNode, S_WHATSAPP_NET } from 'baileys'
import { z } from 'zod'
import { HOUR, MINUTE, SECOND } from '../../../lib/clock.ts'
import { childOf } from '../library/stanzas.ts'

/**
 * WhatsApp's lock on messages to strangers (docs/decisions/0014-contacts.md). The type of a lock is
 * ignored, because new types appear.
 */
export interface Lock {
  active: boolean
  /** Milliseconds since 1970; null unless active. */
  endsAt: number | null
}

/** WhatsApp's cap on new chats in a cycle. */
export interface Cap {
  used: number | null
  /** Null: no limit, or WhatsApp did not say. */
  total: number | null
  /** When the cycle ends, in milliseconds since 1970. */
  resetsAt: number | null
  warning: 'none' | 'first' | 'second' | 'capped'
  /**
   * Time until which first contacts wait: the end of the cycle, or an hour from the answer if
   * WhatsApp names no end. Null unless capped.
   */
  holdsUntil: number | null
}

export type ReachQuestion = 'lock' | 'cap'

/**
 * Queries that WhatsApp stores under an id. The ids change with WhatsApp's builds, and an old id
 * may be answered with errors; nothing is known then. Lock: the query of WhatsApp Web and Baileys.
 * Cap: the query of WhatsApp Web (whatsapp-rust 1489b7da).
 */
const QUERIES = {
  lock: { id: '23983697327930364', variables: {}, field: 'xwa2_fetch_account_reachout_timelock' },
  cap: {
    id: '27910975521856601',
    variables: { input: { type: 'INDIVIDUAL_NEW_CHAT_THREAD' } },
    field: 'xwa2_message_capping_info',
  },
} as const satisfies Record<ReachQuestion, { id: string; variables: object; field: string }>

const NOTIFICATIONS: Readonly<Record<string, { question: ReachQuestion; field: string }>> = {
  NotificationUserReachoutTimelockUpdate: { question: 'lock', field: 'xwa2_notify_account_reachout_timelock' },
  MessageCappingInfoNotification: { question: 'cap', field: 'xwa2_notify_new_chat_messages_capping_info_update' },
}

/** Far above a real answer, which has a few hundred bytes. */
const LONGEST_JSON = 64 * 1024
/** Time that WhatsApp Web assumes for a lock without an end. */
const LOCK_WITHOUT_END = MINUTE
/** How long WhatsApp Web believes a cap before it asks again (prop 20649). */
const CAP_WITHOUT_END = HOUR

/** The year 10,000, in seconds since 1970. A larger number is not a time. */
const MOST_SECONDS = 253_402_300_800

// Numbers come as strings or as numbers; fields may be missing or null.
const number = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,15}$/)
      .transform(Number),
  ])
  .nullish()
  .catch(null)
const lockAnswer = z.object({ is_active: z.boolean().nullish(), time_enforcement_ends: number })
const capAnswer = z.object({
  total_quota: number,
  used_quota: number,
  cycle_end_timestamp: number,
  capping_status: z.string().nullish().catch(null),
})
const envelope = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.unknown()).nullish(),
})

const WARNINGS: Readonly<Record<string, Cap['warning']>> = {
  FIRST_WARNING: 'first',
  SECOND_WARNING: 'second',
  CAPPED: 'capped',
}

const milliseconds = (seconds: number | null | undefined): number | null =>
  seconds !== null && seconds !== undefined && seconds > 0 && seconds < MOST_SECONDS ? seconds * SECOND : null

function readLock(value: unknown, now: number): Lock | undefined {
  const read = lockAnswer.safeParse(value)
  if (!read.success) return undefined
  const { is_active: active, time_enforcement_ends: ends } = read.data
  return active === true
    ? { active, endsAt: milliseconds(ends) ?? now + LOCK_WITHOUT_END }
    : { active: false, endsAt: null }
}

function readCap(value: unknown, now: number): Cap | undefined {
  const read = capAnswer.safeParse(value)
  if (!read.success) return undefined
  const { total_quota: total, used_quota: used, cycle_end_timestamp: ends, capping_status: status } = read.data
  const resetsAt = milliseconds(ends)
  // WhatsApp gives −1 if there is no cap.
  const warning = (total === -1 ? undefined : WARNINGS[status ?? '']) ?? 'none'
  return {
    used: typeof used === 'number' && used >= 0 ? used : null,
    total: typeof total === 'number' && total >= 0 ? total : null,
    resetsAt,
    warning,
    holdsUntil: warning === 'capped' ? (resetsAt ?? now + CAP_WITHOUT_END) : null,
  }
}

/** Returns a field of a GraphQL answer; undefined: missing, unreadable, or beside errors. */
function fieldOf(content: BinaryNode['content'], field: string): unknown {
  if (content === undefined || Array.isArray(content) || content.length > LONGEST_JSON) return undefined
  try {
    const text = typeof content === 'string' ? content : Buffer.from(content).toString()
    const { data, errors } = envelope.parse(JSON.parse(text))
    return errors?.length ? undefined : data?.[field]
  } catch {
    return undefined
  }
}

export function reachQuery(question: ReachQuestion): BinaryNode {
  const { id, variables } = QUERIES[question]
  const content = Buffer.from(JSON.stringify({ variables }))
  return {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:mex' },
    content: [{ tag: 'query', attrs: { query_id: id }, content }],
  }
}

/**
 * Reads WhatsApp's answer about the lock or the cap. Undefined: the answer cannot be used, and
 * nothing is known.
 */
export function readReachAnswer(question: 'lock', answer: BinaryNode | undefined, now: number): Lock | undefined
export function readReachAnswer(question: 'cap', answer: BinaryNode | undefined, now: number): Cap | undefined
export function readReachAnswer(
  question: ReachQuestion,
  answer: BinaryNode | undefined,
  now: number,
): Lock | Cap | undefined {
  const value = answer && fieldOf(childOf(answer, 'result')?.content, QUERIES[question].field)
  return question === 'lock' ? readLock(value, now) : readCap(value, now)
}

/**
 * Reads a notification of type `mex` about the lock or the cap; undefined for any other. It reads
 * the node and not the library's event, which replaces lock types that it does not know.
 */
export function readReachNotification(
  node: BinaryNode,
  now: number,
): { question: 'lock'; lock: Lock } | { question: 'cap'; cap: Cap } | undefined {
  const update = childOf(node, 'update')
  const known = NOTIFICATIONS[update?.attrs.op_name ?? '']
  if (update === undefined || known === undefined) return undefined
  const value = fieldOf(update.content, known.field)
  if (known.question === 'lock') {
    const lock = readLock(value, now)
    return lock && { question: 'lock', lock }
  }
  const cap = readCap(value, now)
  return cap && { question: 'cap', cap }
}

/** Returns when first contacts may leave, in milliseconds since 1970; null: at any time. */
export function firstContactsWaitUntil(lock: Lock | null, cap: Cap | null, now: number): number | null {
  const until = Math.max(lock?.endsAt ?? 0, cap?.holdsUntil ?? 0)
  return until > now ? until : null
}
