import { z } from 'zod'
import { failure } from '../../contract/failures.ts'
import { askedTemplate, PRIORITIES, pricing, SHOWN_IN_LIST } from '../../contract/messages.ts'
import { END_NAMED, type Message } from '../messages.ts'
import { type Columns, flag, integer, integerOrNull, jsonOrNull, numbered, text, textOrNull } from './sql.ts'

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
}

// A template is more than its components: from here on these are certainly longer than a list shows
// them.
const LONG_TEMPLATE = 4 * SHOWN_IN_LIST.jsonBytes

/**
 * The same, of long texts only as much as a list shows, or says that it leaves out: they are never
 * read whole.
 */
export const SHORT_MESSAGE: Columns<Message> = {
  ...MESSAGE,
  body: textOrNull(`substr(m.body, 1, ${SHOWN_IN_LIST.textLength})`),
  template: jsonOrNull(
    `iif(octet_length(m.template) > ${LONG_TEMPLATE}, json_set(m.template, '$.components', json('[]')), m.template)`,
    askedTemplate,
  ),
  metadata: textOrNull(`substr(m.metadata, 1, ${SHOWN_IN_LIST.jsonBytes + 1})`),
}
