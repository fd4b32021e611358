import { z } from 'zod'
import { failure } from '../contract/failures.ts'
import { askedTemplate, PRIORITIES, type Priority, pricing, SHOWN_IN_LIST } from '../contract/messages.ts'
import {
  anyJson,
  anyJsonOrNull,
  blob,
  type Columns,
  flag,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  named,
  numbered,
  text,
  textOrNull,
  type Written,
  writing,
} from './columns.ts'
import {
  type AttemptRow,
  END_NAMED,
  type GroupMember,
  groupReceipts,
  type Message,
  type MessageFilter,
  type MessageStore,
  type NewMessage,
  type ProviderCall,
  type TallyRow,
} from './messages.ts'
import type { Reads, Statements } from './statements.ts'

const COLUMNS: Columns<Message> = {
  seq: integer('seq'),
  id: text('id'),
  senderId: integer('sender_id'),
  laneId: integer('lane_id'),
  channel: text('channel'),
  recipient: text('recipient'),
  body: textOrNull('body'),
  file: textOrNull('file'),
  filename: textOrNull('filename'),
  fileSha256: textOrNull('file_sha256'),
  priority: numbered('priority', PRIORITIES),
  purpose: text('purpose'),
  template: jsonOrNull('template', askedTemplate),
  referenceId: textOrNull('reference_id'),
  metadata: textOrNull('metadata'),
  unknownMembers: jsonOrNull('unknown_members', z.array(z.string())),
  status: text('status'),
  attempts: integer('attempts'),
  createdAt: integer('created_at'),
  dueAt: integer('due_at'),
  expiresAt: integer('expires_at'),
  dueNamed: flag('due_named'),
  endNamed: numbered('end_named', END_NAMED),
  nextAt: integerOrNull('next_at'),
  occurredAt: integer('occurred_at'),
  providerMessageId: textOrNull('provider_message_id'),
  recipientUserId: textOrNull('recipient_user_id'),
  pricing: jsonOrNull('pricing', pricing),
  error: jsonOrNull('error', failure),
  receipts: jsonOrNull('receipts', groupReceipts),
  movedFrom: integerOrNull('moved_from'),
}

/** Columns of the table `messages`, which every statement calls `m`. */
export const MESSAGE = named('m', COLUMNS)

export const MEMBERS: Columns<{ members: GroupMember[] }> = { members: json('members', z.array(z.array(z.string()))) }

/**
 * Columns of a message of which long texts are read only as far as a list shows them.
 * @param template SQL for the template, without its components if the SQL `isLong` is true
 */
export const shortMessage = (template: (isLong: string) => string): Columns<Message> => ({
  ...MESSAGE,
  body: textOrNull(`substr(m.body, 1, ${SHOWN_IN_LIST.textLength})`),
  // A template holds more than its components: above this size the components are certainly longer
  // than a list shows.
  template: jsonOrNull(template(`octet_length(m.template) > ${4 * SHOWN_IN_LIST.jsonBytes}`), askedTemplate),
  metadata: textOrNull(`substr(m.metadata, 1, ${SHOWN_IN_LIST.jsonBytes + 1})`),
})

const ATTEMPT: Columns<AttemptRow> = {
  number: integer('number'),
  at: integer('at'),
  endedAt: integerOrNull('ended_at'),
  outcome: textOrNull('outcome'),
  reason: textOrNull('reason'),
}

const TALLY: Columns<TallyRow> = {
  senderId: integer('sender_id'),
  status: text('status'),
  count: integer('count(*)'),
  firstAt: integer('min(created_at)'),
  lastAt: integer('max(created_at)'),
}

export const PROVIDER_CALL: Columns<ProviderCall> = {
  request: anyJson('request'),
  httpStatus: integerOrNull('http_status'),
  answer: anyJsonOrNull('answer'),
}

const { seq, attempts, occurredAt, recipientUserId, pricing: price, error, receipts, movedFrom, ...NEW } = COLUMNS
const { id, recipient, body, file, filename, purpose, referenceId, metadata, unknownMembers, createdAt, ...CHANGING } =
  NEW
const templateName = { template_name: ({ template }: Message | NewMessage) => template?.name ?? null }

export const INSERTED: Written<NewMessage> = {
  ...writing(NEW),
  ...templateName,
  key_number: ({ keyNumber }) => keyNumber,
  occurred_at: (message) => message.createdAt,
  attempts: ({ attemptBegins }) => (attemptBegins ? 1 : 0),
}

/** Columns that a change may write. */
export const UPDATED: Written<Message> = {
  ...writing({ ...CHANGING, attempts, occurredAt, recipientUserId, pricing: price, error, receipts, movedFrom }),
  ...templateName,
}

export const isSpan = ({ from, to }: MessageFilter): boolean => from !== undefined || to !== undefined

/**
 * True if a filter narrows a list by sender, status or channel only, so that the list is put
 * together from pieces of an index.
 */
export function isInPieces(filter: MessageFilter): boolean {
  const { senderId, statuses, channel, failedFrom, referenceId, recipients, templateName } = filter
  if (isSpan(filter)) return false
  const isGiven = (value: unknown) => value !== undefined
  return (
    [senderId, statuses, channel, failedFrom].some(isGiven) && ![referenceId, recipients, templateName].some(isGiven)
  )
}

/** Reads of messages that may be large. */
export const createMessageTally = ({ rows }: Reads) =>
  ({
    after: rows(MESSAGE, 'FROM messages m WHERE m.seq > $1 ORDER BY m.seq LIMIT $2'),
    tallyOfRecipient: rows(TALLY, 'FROM messages WHERE recipient = $1 GROUP BY sender_id, status'),
  }) satisfies Partial<MessageStore>

/** Reads of one message, or of the few that need attention. */
export function createMessageReads({ rows, one }: Reads) {
  const members = one(MEMBERS, 'FROM message_members WHERE message_seq = $1')
  const content = one({ content: blob('content') }, 'FROM message_contents WHERE message_seq = $1')
  return {
    attempts: rows(ATTEMPT, 'FROM message_attempts WHERE message_seq = $1 ORDER BY number'),
    members: async (seq) => (await members(seq))?.members,
    content: async (seq) => (await content(seq))?.content,
    providerCall: one(PROVIDER_CALL, 'FROM provider_calls WHERE message_seq = $1'),
    newest: one({ id: text('id'), seq: integer('seq') }, 'FROM messages ORDER BY seq DESC LIMIT 1'),
    unfinished: rows(
      MESSAGE,
      "FROM messages m WHERE m.sender_id = $1 AND m.status IN ('accepted', 'sent', 'delivered') LIMIT $2",
    ),
  } satisfies Partial<MessageStore>
}

/** A place in a lane's queue, by time. */
export interface QueuePlace {
  nextAt: number
  seq: number
}

/** A place in a lane's queue, in the order in which messages leave. */
interface LanePlace extends QueuePlace {
  priority: Priority
}

/** The place behind every due message. */
export const LAST_PLACE: LanePlace = {
  priority: 'low',
  nextAt: Number.MAX_SAFE_INTEGER,
  seq: Number.MAX_SAFE_INTEGER,
}

export interface QueueStore {
  /**
   * Number of messages that wait in a sender's lane. Read from memory; in a shared database it may
   * be a second old, with long queues ten seconds.
   */
  waiting(senderId: number): number
  /**
   * Messages of one lane with `nextAt` at or before `at`, ordered by priority, then `nextAt`, then
   * arrival.
   */
  due(laneId: number, at: number, limit: number): Promise<Message[]>
  /** Senders whose lane has a message with `nextAt` at or before `at`. */
  withDue(at: number): Promise<ReadonlySet<number>>
  /**
   * Counts by lane the messages that have been *sending* since `at` or longer, with the time of the
   * oldest.
   */
  sendingSince(at: number): Promise<ReadonlyMap<number, { count: number; since: number }>>
  /** Messages that wait in one lane, after a place in it, ordered by `nextAt`, then arrival. */
  waitingAfter(laneId: number, after: QueuePlace, limit: number): Promise<Message[]>
  /** Number of messages due at `at` that leave a lane before this place. */
  dueBefore(laneId: number, place: LanePlace, at: number): Promise<number>
  /** Messages of one sender that wait in the lane of another sender and are not being sent. */
  onOtherRoads(senderId: number, limit: number): Promise<Message[]>
  /**
   * Waiting messages of one lane that have expired by `now`; by `ended` if no caller named their
   * end.
   */
  overdue(laneId: number, at: { now: number; ended: number }, limit: number): Promise<Message[]>
  /** When the next waiting message expires; null: none waits. */
  nextExpiry(laneId: number): Promise<number | null>
  /** Messages that are due for another attempt, in their original order. */
  repeats(laneId: number, at: number, limit: number): Promise<Message[]>
  /** Messages that were in the middle of an attempt when the last run ended. */
  interrupted(): Promise<Message[]>
  /**
   * Makes postponed queued messages of one lane due again, in their order, but not before their own
   * due time. At most `limit`; resolves with their number.
   */
  release(laneId: number, now: number, limit: number): Promise<number>
}

/** Reads of queues whose statements are the same in both engines. */
export function createQueueReads({ rows }: Statements) {
  const withDue = rows(
    { id: integer('s.id') },
    `FROM senders s WHERE s.deleted_at IS NULL AND (SELECT m.seq FROM messages m
       WHERE m.lane_id = s.id AND m.priority IN (${[...PRIORITIES.keys()].join(', ')}) AND m.next_at <= $1 LIMIT 1) IS NOT NULL`,
  )
  const sendingSince = rows(
    { id: integer('lane_id'), count: integer('count(*)'), since: integer('min(occurred_at)') },
    "FROM messages WHERE status = 'sending' AND occurred_at <= $1 GROUP BY lane_id",
  )
  return {
    withDue: async (at) => new Set((await withDue(at)).map(({ id }) => id)),
    sendingSince: async (at) => new Map((await sendingSince(at)).map(({ id, count, since }) => [id, { count, since }])),
    interrupted: rows(
      MESSAGE,
      `FROM messages m JOIN message_attempts a ON a.message_seq = m.seq AND a.number = m.attempts
       WHERE m.status = 'sending' AND a.ended_at IS NULL`,
    ),
  } satisfies Partial<QueueStore>
}
