import { z } from 'zod'
import { problem } from './field-problems.ts'
import { answer, givenName, isoTime, shaped } from './fields.ts'
import { linkingView } from './linking.ts'
import { officialFields, officialView } from './official-senders.ts'
import { secondRoad, secondRoadView } from './second-road.ts'

export const SENDER_KINDS = ['linked', 'official', 'sandbox'] as const
export const senderKind = z.enum(SENDER_KINDS)
export type SenderKind = z.infer<typeof senderKind>

/** Code of the sandbox that exists from the first start. */
export const SANDBOX_CODE = 'SND-SANDBOX'

export const CONNECTION_STATES = [
  'unlinked',
  'linking',
  'connecting',
  'connected',
  'offline',
  'logged_out',
  'replaced',
  'restricted',
] as const
export const connectionState = z.enum(CONNECTION_STATES)
export type ConnectionState = z.infer<typeof connectionState>

/** State of a sender: its connection, or paused by the owner. */
export const SENDER_STATES = [...CONNECTION_STATES, 'paused'] as const
export const senderState = z.enum(SENDER_STATES)
export type SenderState = z.infer<typeof senderState>

const clockTime = shaped(/^([01]\d|2[0-3]):[0-5]\d$/, '22:00')

export const pacing = z
  .object({ min_seconds: z.number().min(0).max(3600), max_seconds: z.number().min(0).max(3600) })
  .refine((p) => p.min_seconds <= p.max_seconds, {
    ...problem('too_small', { min: 'min_seconds' }),
    path: ['max_seconds'],
  })

export const senderSettings = z.object({
  name: givenName('Toko Melati'),
  pacing,
  daily_cap: z.number().int().min(1).max(1_000_000).nullable(),
  quiet_hours: z.object({ from: clockTime, to: clockTime }).nullable(),
  country_code: shaped(/^[1-9]\d{0,3}$/, '62').nullable(),
  second_road: secondRoad
    .nullable()
    .describe(
      'Second road: official sender that sends texts as templates if this linked sender cannot send them. Null: none.',
    ),
})
export type SenderSettings = z.infer<typeof senderSettings>

const newSender = senderSettings.partial().required({ name: true })
export const createSenderRequest = z.discriminatedUnion('kind', [
  newSender.extend({ kind: z.literal('linked') }),
  newSender.extend({ kind: z.literal('official'), ...officialFields.shape }),
  newSender.extend({ kind: z.literal('sandbox') }),
])
export type CreateSenderRequest = z.infer<typeof createSenderRequest>

export const updateSenderRequest = senderSettings.partial().extend(officialFields.partial().shape)
export type UpdateSenderRequest = z.infer<typeof updateSenderRequest>

/** Reasons for holding messages to people to whom a number never wrote before. */
export const FIRST_CONTACT_HOLDS = ['lock', 'cap', 'wrong_numbers', 'new_link'] as const

/** WhatsApp's warnings before it caps new chats, and the cap. */
export const NEW_CHAT_WARNINGS = ['none', 'first', 'second', 'capped'] as const

/** State of first contacts, stored in a sender's row. Times are milliseconds since 1970. */
export const firstContacts = z.object({
  /** First contacts wait until this time. Null: they do not wait. */
  until: z.number().nullable(),
  heldBy: z.enum(FIRST_CONTACT_HOLDS).nullable(),
  /** WhatsApp's cap on new chats; null: none, or not known. */
  newChats: z
    .object({
      used: z.number().nullable(),
      total: z.number().nullable(),
      resetsAt: z.number().nullable(),
      warning: z.enum(NEW_CHAT_WARNINGS),
    })
    .nullable(),
})
export type FirstContacts = z.infer<typeof firstContacts>

export const newChats = z.object({
  used: z.number().int().nullable(),
  total: z.number().int().nullable(),
  resets_at: isoTime.nullable(),
  warning: z.enum(NEW_CHAT_WARNINGS),
})
export type NewChats = z.infer<typeof newChats>

/** A sender as callers see it (GET /senders). */
export const senderSummary = z.object({
  sender_code: z.string(),
  name: z.string(),
  kind: senderKind,
  state: senderState,
  phone: z
    .string()
    .nullable()
    .describe('Phone number of the sender, digits only. Null: no number is linked or known yet.'),
})
export type SenderSummary = z.infer<typeof senderSummary>

/** A sender as the owner sees it. */
export const senderView = senderSummary.extend({
  connection: connectionState.describe('State of the connection alone, even if `state` is `paused`.'),
  reason: z.string().nullable().describe('Machine-readable reason for `state`. Null: there is none.'),
  reason_detail: z.string().nullable().describe('Original code or text of WhatsApp or Meta for `reason`. Null: none.'),
  until: isoTime
    .nullable()
    .describe('Time when `state` ends, as WhatsApp or Meta says, or when Kurir retries. Null: unknown.'),
  since: isoTime.describe('Time when `state` began.'),
  account_name: z.string().nullable(),
  linking: linkingView
    .nullable()
    .describe(
      'Linking attempt in progress. An existing connection stays in use until a phone has been linked. Null: no attempt.',
    ),
  // The interface has these three members at the top level of a sender. `linking` has more about
  // the same attempt.
  qr: z.string().nullable().describe('Same as `linking.qr`.'),
  pairing_code: z.string().nullable().describe('Same as `linking.pairing_code`.'),
  expires_at: isoTime.nullable().describe('Same as `linking.expires_at`: time when the code expires.'),
  paused: z.boolean(),
  pacing,
  daily_cap: z.number().nullable(),
  quiet_hours: z.object({ from: clockTime, to: clockTime }).nullable(),
  country_code: z.string().nullable(),
  waiting: z.number().int(),
  next_send_at: isoTime
    .nullable()
    .describe(
      'Time when the sender sends its next message; pacing, quiet hours, the daily limit or a hold on new contacts delay it until then. Null: nothing is waiting, nothing delays it, or the time is unknown.',
    ),
  held_by: z
    .enum(['pacing', 'quiet_hours', 'daily_cap', 'paused', 'not_connected', 'other_phone', 'wrong_numbers', 'new_link'])
    .nullable()
    .describe(
      'Why waiting messages are not being sent. `other_phone`: another number was linked while messages waited; confirm it. `wrong_numbers`, `new_link`: only messages to people without an existing chat wait. Null: nothing is waiting or nothing holds it.',
    ),
  queue_ends_at: isoTime
    .nullable()
    .describe(
      'Estimated time when the last message that is due now will be sent, calculated from pacing, daily limit and quiet hours only. Null: nothing is due, the sender is stopped, or it takes more than a year.',
    ),
  sent_today: z.number().int(),
  last_sent_at: isoTime.nullable(),
  first_contacts_wait_until: isoTime
    .nullable()
    .describe(
      'Time until which messages to people without an existing chat with this number wait, because of a WhatsApp lock or cap on new chats, too many wrong numbers, or a link that is only minutes old. Null: they do not wait.',
    ),
  new_chats: newChats.nullable().describe("WhatsApp's cap on new chats of this number. Null: no cap, or not known."),
  previous_phone: z
    .string()
    .nullable()
    .describe(
      'Phone number that was linked before. Set only while messages for it wait and the owner has not confirmed the new number; otherwise null.',
    ),
  second_road: secondRoadView
    .nullable()
    .describe(
      'Second road: official sender that sends texts as templates if this linked sender cannot send them. Null: none.',
    ),
  official: officialView.nullable(),
  created_at: isoTime,
})
export type SenderView = z.infer<typeof senderView>

export const senderAnswer = answer(senderView)
export const sendersAnswer = answer(z.array(senderView))
export const senderSummariesAnswer = answer(z.array(senderSummary))
