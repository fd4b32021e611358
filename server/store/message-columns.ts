import { z } from 'zod'
import { failure } from '../contract/failures.ts'
import { askedTemplate, PRIORITIES, pricing, SHOWN_IN_LIST } from '../contract/messages.ts'
import {
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
  type AttemptRow,
  END_NAMED,
  type GroupMember,
  groupReceipts,
  type Message,
  type NewMessage,
  type ProviderCall,
  type TallyRow,
  type UnsettledRow,
} from './messages.ts'

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
}

export const MEMBERS: Columns<{ members: GroupMember[] }> = { members: json('members', z.array(z.array(z.string()))) }

// A template is more than its components: from here on these are certainly longer than a list shows
// them.
export const LONG_TEMPLATE = 4 * SHOWN_IN_LIST.jsonBytes

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

export const TALLY: Columns<TallyRow> = {
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
const CHANGING: Written<
  Pick<
    Message,
    | 'laneId'
    | 'channel'
    | 'fileSha256'
    | 'priority'
    | 'template'
    | 'status'
    | 'dueAt'
    | 'expiresAt'
    | 'dueNamed'
    | 'endNamed'
    | 'nextAt'
    | 'providerMessageId'
  >
> = {
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
  attempts: (m) => m.attempts,
  occurred_at: (m) => m.occurredAt,
  recipient_user_id: (m) => m.recipientUserId,
  pricing: (m) => m.pricing,
  error: (m) => m.error,
  receipts: (m) => m.receipts,
}
