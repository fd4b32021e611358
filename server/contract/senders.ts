import { z } from 'zod'
import { finding } from './check-findings.ts'
import { answer, isoTime } from './envelope.ts'
import { problem } from './field-problems.ts'
import { shaped } from './fields.ts'
import { passkeyView } from './passkey.ts'
import { phoneInput } from './phone.ts'
import { providerHint } from './provider-hints.ts'
import { secondRoad, secondRoadView } from './second-road.ts'

export const SENDER_KINDS = ['linked', 'official', 'sandbox'] as const
export const senderKind = z.enum(SENDER_KINDS)
export type SenderKind = z.infer<typeof senderKind>

/** The sandbox that exists from the first start. */
export const SANDBOX_CODE = 'SND-SANDBOX'

/** How the connection of a sender is. */
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

/** Settings of every sender. */
export const senderSettings = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .meta({ examples: ['Toko Melati'] }),
  pacing,
  daily_cap: z.number().int().min(1).max(1_000_000).nullable(),
  quiet_hours: z.object({ from: clockTime, to: clockTime }).nullable(),
  country_code: shaped(/^[1-9]\d{0,3}$/, '62').nullable(),
  second_road: secondRoad.nullable().describe('Of a linked sender: null where it has none.'),
})
export type SenderSettings = z.infer<typeof senderSettings>

const secret = z.string().trim().min(1).max(2048)
const metaId = z
  .string()
  .trim()
  .pipe(shaped(/^\d{1,32}$/, '102290129340398'))

/** Secrets of an official sender: written, never read back. */
export const officialFields = z.object({
  phone_number_id: metaId,
  waba_id: metaId,
  access_token: secret,
  app_secret: secret,
  verify_token: secret,
})
export type OfficialFields = z.infer<typeof officialFields>

/** Ids of an official sender at Meta; no secret. */
export const officialIds = officialFields.pick({ phone_number_id: true, waba_id: true })
export type OfficialIds = z.infer<typeof officialIds>

export const createSenderRequest = z.discriminatedUnion('kind', [
  senderSettings
    .partial()
    .required({ name: true })
    .extend({ kind: z.literal('linked') }),
  senderSettings
    .partial()
    .required({ name: true })
    .extend({ kind: z.literal('official'), ...officialFields.shape }),
  senderSettings
    .partial()
    .required({ name: true })
    .extend({ kind: z.literal('sandbox') }),
])
export type CreateSenderRequest = z.infer<typeof createSenderRequest>

export const updateSenderRequest = senderSettings.partial().extend(officialFields.partial().shape)
export type UpdateSenderRequest = z.infer<typeof updateSenderRequest>

/** Causes that hold messages to people that a number never wrote to. */
export const FIRST_CONTACT_HOLDS = ['lock', 'cap', 'wrong_numbers', 'new_link'] as const

/** WhatsApp's warnings before it caps new chats, and the cap. */
export const NEW_CHAT_WARNINGS = ['none', 'first', 'second', 'capped'] as const

/** First contacts in a sender's row. Times are milliseconds since 1970. */
export const firstContacts = z.object({
  /** They wait until then; null: they need not. */
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

/** How many new chats WhatsApp allows this number. */
export const newChats = z.object({
  used: z.number().int().nullable(),
  total: z.number().int().nullable(),
  resets_at: isoTime.nullable(),
  warning: z.enum(NEW_CHAT_WARNINGS),
})
export type NewChats = z.infer<typeof newChats>

export const linkRequest = z.discriminatedUnion('method', [
  z.object({ method: z.literal('qr') }),
  z.object({ method: z.literal('code'), phone: phoneInput }),
])
export type LinkRequest = z.infer<typeof linkRequest>

/** A sender as callers see it (GET /senders). */
export const senderSummary = z.object({
  sender_code: z.string(),
  name: z.string(),
  kind: senderKind,
  state: senderState,
  phone: z.string().nullable().describe('The linked number, digits only.'),
})
export type SenderSummary = z.infer<typeof senderSummary>

/** One line of an official sender's check, with what to do about it. */
export const senderCheck = z.object({
  name: z.enum([
    'token',
    'permissions',
    'app_secret',
    'number',
    'templates',
    'subscription',
    'public_address',
    'statuses',
  ]),
  ok: z.boolean(),
  message: z.string().describe('In English.'),
  finding: finding.describe('The same for translation.'),
  hint: z.string().nullable(),
  hint_code: providerHint
    .nullish()
    .describe('Names the hint, for translation; absent in a check made by an older Kurir.'),
})
export type SenderCheck = z.infer<typeof senderCheck>

/** Why an attempt to link shows no code. */
export const LINKING_REASONS = [
  'passkey_required',
  'passkey_refused',
  'pairing_code_refused',
  'refused_by_whatsapp',
  'protocol_outdated',
  'no_answer',
  'connection_lost',
  'whatsapp_unavailable',
  'untrusted_server',
] as const
export type LinkingReason = (typeof LINKING_REASONS)[number]
/** Meta's judgement of a business account, from good to worst. `warned`: sending still works. */
export const ACCOUNT_STANDINGS = ['good', 'warned', 'restricted', 'disabled', 'offboarded', 'deleted'] as const
export const accountStanding = z.enum(ACCOUNT_STANDINGS)
export type AccountStanding = z.infer<typeof accountStanding>

export const ACCOUNT_REASONS = [
  'account_violation',
  'account_disable_scheduled',
  'account_limited',
  'account_restricted',
  'account_locked',
  'account_disabled',
  'account_offboarded',
  'account_deleted',
] as const
export const accountReason = z.enum(ACCOUNT_REASONS)
export type AccountReason = z.infer<typeof accountReason>

/**
 * Why an official sender cannot work as it was entered; for each the owner has something else to
 * do.
 */
export const SETUP_REASONS = [
  'token_refused',
  'missing_permissions',
  'wrong_ids',
  'not_registered',
  'wrong_app_secret',
] as const
export const setupReason = z.enum(SETUP_REASONS)
export type SetupReason = z.infer<typeof setupReason>

/**
 * Meta reported about a number or its account: an alert, security, the display name, the number, a
 * fault of its own.
 */
export const NEWS_KINDS = ['alert', 'security', 'name', 'number', 'fault'] as const
export const newsKind = z.enum(NEWS_KINDS)
export const NEWS_SEVERITIES = ['info', 'warning', 'critical'] as const
export const newsSeverity = z.enum(NEWS_SEVERITIES)

/** Facts about an official sender beside the owner's entries. */
const officialView = officialIds.extend({
  checks: z.array(senderCheck),
  checked_at: isoTime.nullable(),
  templates_synced_at: isoTime.nullable(),
  last_status_at: isoTime.nullable(),
  number: z
    .object({
      quality: z.string().nullable().describe('`GREEN`, `YELLOW`, `RED`, `UNKNOWN`.'),
      status: z.string().nullable(),
      name_status: z.string().nullable(),
      can_send: z.string().nullable().describe('`AVAILABLE`, `LIMITED`, `BLOCKED`.'),
      throughput: z.string().nullable(),
      limit: z
        .union([z.number().int(), z.literal('unlimited')])
        .nullable()
        .describe('People to whom all numbers of the business together may write first within 24 hours.'),
    })
    .nullable()
    .describe('As Meta said at the last check, or in a callback since.'),
  people_24h: z
    .number()
    .int()
    .describe('People to whom the numbers of this account wrote through Kurir in the last 24 hours.'),
  account: z
    .object({
      standing: accountStanding,
      reason: accountReason.nullable(),
      detail: z.string().nullable().describe("Meta's own name or code for it."),
      since: isoTime,
      from: isoTime.nullable().describe('When it begins, if it is only announced.'),
      until: isoTime.nullable(),
    })
    .nullable()
    .describe('Null: Meta reported nothing.'),
  news: z.array(
    z.object({
      kind: newsKind,
      code: z.string().describe("Meta's own name."),
      severity: newsSeverity,
      at: isoTime,
      detail: z.string().nullable().describe('What Meta writes about it.'),
    }),
  ),
  refused_callbacks: z
    .object({ count: z.number().int(), last_at: isoTime })
    .nullable()
    .describe('Callbacks since the start whose signature fitted no sender: a sign of a wrong app secret.'),
  graph_version: z.object({ version: z.string(), ends_at: isoTime.nullable() }),
})

/** A sender as the owner sees it. */
export const senderView = senderSummary.extend({
  connection: connectionState.describe('`state` without what hides it: a paused sender is connected all the same.'),
  reason: z.string().nullable().describe('Why it is in this state, as a stable code.'),
  reason_detail: z.string().nullable().describe("WhatsApp's or Meta's own code or words for the reason."),
  until: isoTime.nullable().describe('When the state ends, as WhatsApp or Meta says.'),
  since: isoTime.describe('When the state began.'),
  account_name: z.string().nullable(),
  linking: z
    .object({
      method: z.enum(['qr', 'code']),
      qr: z.string().nullable().describe('The raw string to encode.'),
      pairing_code: z.string().nullable(),
      expires_at: isoTime.nullable(),
      reason: z
        .enum(LINKING_REASONS)
        .nullable()
        .describe(
          'Why no code is shown: WhatsApp wants a passkey, refused it or the pairing code, or does not answer.',
        ),
      reason_detail: z.string().nullable().describe("WhatsApp's code, such as 429."),
      passkey: passkeyView
        .nullable()
        .describe('WhatsApp wants a passkey; null with `passkey_required`: it says in no form that is known.'),
      passkey_code: z
        .string()
        .nullable()
        .describe('`XXXX-XXXX`. Confirm it here only where the phone shows the same one.'),
      version_unread: z
        .boolean()
        .describe('WhatsApp did not say which version is current: phones link no old one, and do not say why.'),
    })
    .nullable()
    .describe('A running attempt to link. The connection that there was before goes on until a phone is linked.'),
  // The interface has these three at the top of a sender; `linking` says more about the same
  // attempt.
  qr: z.string().nullable().describe('As in `linking`.'),
  pairing_code: z.string().nullable().describe('As in `linking`.'),
  expires_at: isoTime.nullable().describe('As in `linking`: when the code expires.'),
  paused: z.boolean(),
  pacing,
  daily_cap: z.number().nullable(),
  quiet_hours: z.object({ from: clockTime, to: clockTime }).nullable(),
  country_code: z.string().nullable(),
  waiting: z.number().int(),
  next_send_at: isoTime
    .nullable()
    .describe('When the lane goes on: pacing, quiet hours or the cap hold it until then.'),
  held_by: z
    .enum(['pacing', 'quiet_hours', 'daily_cap', 'paused', 'not_connected', 'other_phone', 'wrong_numbers', 'new_link'])
    .nullable()
    .describe(
      '`other_phone`: another number was linked while messages waited; confirm it. `wrong_numbers`, `new_link`: first contacts.',
    ),
  queue_ends_at: isoTime
    .nullable()
    .describe(
      'About when the last message that is due now leaves, by pacing, cap and quiet hours alone. Null: nothing is due, its sender is stopped, or it takes more than a year.',
    ),
  sent_today: z.number().int(),
  last_sent_at: isoTime.nullable(),
  first_contacts_wait_until: isoTime
    .nullable()
    .describe(
      'Messages to people that this number never wrote to wait until then: a lock or cap of WhatsApp, wrong numbers, or a link that is only minutes old.',
    ),
  new_chats: newChats.nullable().describe("WhatsApp's cap on new chats; null: none, or not known."),
  previous_phone: z
    .string()
    .nullable()
    .describe('The number until another one was linked; set while messages wait for the owner to confirm the new one.'),
  second_road: secondRoadView.nullable().describe('Of a linked sender.'),
  official: officialView.nullable(),
  created_at: isoTime,
})
export type SenderView = z.infer<typeof senderView>

export const senderAnswer = answer(senderView)
export const sendersAnswer = answer(z.array(senderView))
export const senderSummariesAnswer = answer(z.array(senderSummary))
