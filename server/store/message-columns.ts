import { z } from 'zod'
import { failure } from '../contract/failures.ts'
import { askedTemplate, PRIORITIES, pricing, SHOWN_IN_LIST } from '../contract/messages.ts'
import {
  blob,
  type Columns,
  flag,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  numbered,
  text,
  textOrNull,
  type Written,
} from './columns.ts'
import {
  END_NAMED,
  type GroupMember,
  groupReceipts,
  type Message,
  type NewMessage,
  type ProviderCall,
} from './message.ts'
import type { AttemptRow, MessageFilter, MessageReads, MessageStore, TallyRow, UnsettledRow } from './messages.ts'
import type { Reads } from './statements.ts'

/** Columns of the table `messages`, which every statement calls `m`. */
export const MESSAGE: Columns<Message> = {
  seq: integer('m.seq'),
  id: text('m.id'),
  senderId: integer('m.sender_id'),
  laneId: integer('m.lane_id'),
  channel: text('m.channel'),
  recipient: text('m.recipient'),
  body: textOrNull('m.body'),
  file: textOrNull('m.file'),
  filename: textOrNull('m.filename'),
  fileSha256: textOrNull('m.file_sha256'),
  priority: numbered('m.priority', PRIORITIES),
  purpose: text('m.purpose'),
  template: jsonOrNull('m.template', askedTemplate),
  referenceId: textOrNull('m.reference_id'),
  metadata: textOrNull('m.metadata'),
  unknownMembers: jsonOrNull('m.unknown_members', z.array(z.string())),
  status: text('m.status'),
  attempts: integer('m.attempts'),
  createdAt: integer('m.created_at'),
  dueAt: integer('m.due_at'),
  expiresAt: integer('m.expires_at'),
  dueNamed: flag('m.due_named'),
  endNamed: numbered('m.end_named', END_NAMED),
  nextAt: integerOrNull('m.next_at'),
  occurredAt: integer('m.occurred_at'),
  providerMessageId: textOrNull('m.provider_message_id'),
  recipientUserId: textOrNull('m.recipient_user_id'),
  pricing: jsonOrNull('m.pricing', pricing),
  error: jsonOrNull('m.error', failure),
  receipts: jsonOrNull('m.receipts', groupReceipts),
  movedFrom: integerOrNull('m.moved_from'),
}

export const MEMBERS: Columns<{ members: GroupMember[] }> = { members: json('members', z.array(z.array(z.string()))) }

/**
 * A message, of long texts only as much as a list shows, or says that it leaves out: they are never
 * read whole.
 * @param template its template; without the components where it `isLong`
 */
export const shortMessage = (template: (isLong: string) => string): Columns<Message> => ({
  ...MESSAGE,
  body: textOrNull(`substr(m.body, 1, ${SHOWN_IN_LIST.textLength})`),
  // A template is more than its components: from here on these are certainly longer than a list
  // shows them.
  template: jsonOrNull(template(`octet_length(m.template) > ${4 * SHOWN_IN_LIST.jsonBytes}`), askedTemplate),
  metadata: textOrNull(`substr(m.metadata, 1, ${SHOWN_IN_LIST.jsonBytes + 1})`),
})

export const ATTEMPT: Columns<AttemptRow> = {
  number: integer('number'),
  at: integer('at'),
  endedAt: integerOrNull('ended_at'),
  outcome: textOrNull('outcome'),
  reason: textOrNull('reason'),
}

export const UNSETTLED: Columns<UnsettledRow> = {
  seq: integer('seq'),
  providerMessageId: text('provider_message_id'),
  createdAt: integer('created_at'),
}

const TALLY: Columns<TallyRow> = {
  senderId: integer('sender_id'),
  status: text('status'),
  count: integer('count(*)'),
  firstAt: integer('min(created_at)'),
  lastAt: integer('max(created_at)'),
}

/** The question to Meta and its answer, word for word. */
export const PROVIDER_CALL: Columns<ProviderCall> = {
  request: json('request', z.unknown()),
  httpStatus: integerOrNull('http_status'),
  answer: jsonOrNull('answer', z.unknown()),
}

/** Columns that may change after the first write. */
const CHANGING: Written<Message | NewMessage> = {
  lane_id: (m) => m.laneId,
  channel: (m) => m.channel,
  file_sha256: (m) => m.fileSha256,
  priority: (m) => PRIORITIES.indexOf(m.priority),
  template: (m) => m.template,
  template_name: (m) => m.template?.name ?? null,
  status: (m) => m.status,
  due_at: (m) => m.dueAt,
  expires_at: (m) => m.expiresAt,
  due_named: (m) => Number(m.dueNamed),
  end_named: (m) => END_NAMED.indexOf(m.endNamed),
  next_at: (m) => m.nextAt,
  provider_message_id: (m) => m.providerMessageId,
}

/** Columns of a new message. */
export const INSERTED: Written<NewMessage> = {
  ...CHANGING,
  id: (m) => m.id,
  sender_id: (m) => m.senderId,
  key_number: (m) => m.keyNumber,
  recipient: (m) => m.recipient,
  body: (m) => m.body,
  file: (m) => m.file,
  filename: (m) => m.filename,
  purpose: (m) => m.purpose,
  reference_id: (m) => m.referenceId,
  metadata: (m) => m.metadata,
  unknown_members: (m) => m.unknownMembers,
  created_at: (m) => m.createdAt,
  occurred_at: (m) => m.createdAt,
  attempts: (m) => (m.attemptBegins ? 1 : 0),
}

/** Columns of a change. */
export const UPDATED: Written<Message> = {
  ...CHANGING,
  sender_id: (m) => m.senderId,
  moved_from: (m) => m.movedFrom,
  attempts: (m) => m.attempts,
  occurred_at: (m) => m.occurredAt,
  recipient_user_id: (m) => m.recipientUserId,
  pricing: (m) => m.pricing,
  error: (m) => m.error,
  receipts: (m) => m.receipts,
}

export const isSpan = ({ from, to }: MessageFilter): boolean => from !== undefined || to !== undefined

/** True if nothing leads to the messages of a list but their sender, status or channel. */
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

/** One message, or the few that somebody has to look after. */
export function createMessageReads({ rows, one }: Reads) {
  const lanesDue = rows(
    { id: integer('s.id') },
    `FROM senders s WHERE s.deleted_at IS NULL AND (SELECT m.seq FROM messages m
       WHERE m.lane_id = s.id AND m.priority IN (${[...PRIORITIES.keys()].join(', ')}) AND m.next_at <= $1 LIMIT 1) IS NOT NULL`,
  )
  const sendingSince = rows(
    { id: integer('lane_id'), count: integer('count(*)'), since: integer('min(occurred_at)') },
    "FROM messages WHERE status = 'sending' AND occurred_at <= $1 GROUP BY lane_id",
  )
  const members = one(MEMBERS, 'FROM message_members WHERE message_seq = $1')
  const content = one({ content: blob('content') }, 'FROM message_contents WHERE message_seq = $1')
  // One that waited in a lane reached its status long after it came, and one that is tried again is
  // the lane's.
  const templatesIn = rows(
    { id: text('id') },
    `FROM messages WHERE channel = 'template' AND status = $1 AND created_at < $2 AND occurred_at < $2
       AND next_at IS NULL ORDER BY seq LIMIT $3`,
  )
  // One that waited in a lane was accepted by Meta long after it came.
  const silent = one(
    { at: integer('occurred_at') },
    `FROM messages WHERE lane_id = $1 AND channel = 'template' AND status = 'accepted' AND created_at >= $2
       AND created_at < $3 AND occurred_at < $3 ORDER BY created_at LIMIT 1`,
  )
  return {
    lanesDue: async (at) => new Set((await lanesDue(at)).map(({ id }) => id)),
    sendingSince: async (at) => new Map((await sendingSince(at)).map(({ id, count, since }) => [id, { count, since }])),
    attempts: rows(ATTEMPT, 'FROM message_attempts WHERE message_seq = $1 ORDER BY number'),
    members: async (seq) => (await members(seq))?.members,
    content: async (seq) => (await content(seq))?.content,
    providerCall: one(PROVIDER_CALL, 'FROM provider_calls WHERE message_seq = $1'),
    interrupted: rows(
      MESSAGE,
      `FROM messages m JOIN message_attempts a ON a.message_seq = m.seq AND a.number = m.attempts
       WHERE m.status = 'sending' AND m.channel = $1 AND a.ended_at IS NULL`,
    ),
    newest: one({ id: text('id'), seq: integer('seq') }, 'FROM messages ORDER BY seq DESC LIMIT 1'),
    templatesIn: async (status, ms, limit) => (await templatesIn(status, ms, limit)).map(({ id }) => id),
    silentSince: async (laneId, from, to) => (await silent(laneId, from, to))?.at ?? null,
    unfinished: rows(
      MESSAGE,
      "FROM messages m WHERE m.sender_id = $1 AND m.status IN ('accepted', 'sent', 'delivered') LIMIT $2",
    ),
    unsettled: rows(
      UNSETTLED,
      `FROM messages WHERE lane_id = $1 AND channel = 'template' AND status IN ('accepted', 'sent')
         AND provider_message_id IS NOT NULL AND seq > $2 AND created_at >= $3 AND created_at < $4
       ORDER BY seq LIMIT $5`,
    ),
  } satisfies Partial<MessageReads>
}
