import { z } from 'zod'
import { providerHint } from './failures.ts'
import { isoTime, shaped } from './fields.ts'

/** Findings of a check of an official sender. Stable; their texts are in `server/words/`. */
const CHECK_FINDINGS = [
  'token_forever',
  'token_until',
  'token_invalid',
  'permissions_complete',
  'permissions_missing',
  'permissions_none',
  'permissions_unknown',
  'secret_right',
  'secret_wrong',
  'secret_unknown',
  'number_unknown',
  'number_empty',
  'number',
  'number_unlimited',
  'number_elsewhere',
  'number_unregistered',
  'templates_some',
  'templates_none',
  'subscribed',
  'subscribed_now',
  'address_none',
  'address_elsewhere',
  'address_not_entered',
  'address_other',
  'address_right',
  'address_used',
  'status_came',
  'status_never',
  'meta_refused',
  'meta_away',
] as const

export type CheckFinding = (typeof CHECK_FINDINGS)[number]

const finding = z.object({
  code: z.custom<CheckFinding>((name) => CHECK_FINDINGS.some((one) => one === name)).meta({ type: 'string' }),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
  exact: z
    .string()
    .nullable()
    .describe('Original text of the answer from Meta or of the network error. Null: there is none.'),
})
export type Finding = z.infer<typeof finding>

const secret = z.string().trim().min(1).max(2048)
const metaId = z
  .string()
  .trim()
  .pipe(shaped(/^\d{1,32}$/, '102290129340398'))

/** Ids and secrets of an official sender. The secrets are written, and never read back. */
export const officialFields = z.object({
  phone_number_id: metaId,
  waba_id: metaId,
  access_token: secret,
  app_secret: secret,
  verify_token: secret,
})
export type OfficialFields = z.infer<typeof officialFields>

export const officialIds = officialFields.pick({ phone_number_id: true, waba_id: true })
export type OfficialIds = z.infer<typeof officialIds>

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
  message: z.string().describe('Result of the check, as a sentence in English. The wording may change.'),
  finding: finding.describe('The same result as a code with values, for translation.'),
  hint: z.string().nullable(),
  hint_code: providerHint
    .nullish()
    .describe(
      'Code of the advice in `hint`, for translation. Null: no advice. Absent: an older version of Kurir made this check.',
    ),
})
export type SenderCheck = z.infer<typeof senderCheck>

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
  'account_unpaid',
  'account_reported',
  'category_violation',
  'name_unapproved',
  'account_disabled',
  'account_offboarded',
  'account_deleted',
] as const
export const accountReason = z.enum(ACCOUNT_REASONS)
export type AccountReason = z.infer<typeof accountReason>

/** Reasons why an official sender cannot work as entered. The owner fixes each differently. */
export const SETUP_REASONS = [
  'token_refused',
  'missing_permissions',
  'wrong_ids',
  'not_registered',
  'wrong_app_secret',
] as const
export const setupReason = z.enum(SETUP_REASONS)
export type SetupReason = z.infer<typeof setupReason>

/** Kinds of Meta's reports about a number or its account. `fault`: an error at Meta itself. */
export const NEWS_KINDS = ['alert', 'security', 'name', 'number', 'fault'] as const
export const newsKind = z.enum(NEWS_KINDS)
export const NEWS_SEVERITIES = ['info', 'warning', 'critical'] as const
export const newsSeverity = z.enum(NEWS_SEVERITIES)

/** Facts about an official sender beside the owner's entries. */
export const officialView = officialIds.extend({
  checks: z.array(senderCheck),
  checked_at: isoTime.nullable(),
  templates_synced_at: isoTime.nullable(),
  last_status_at: isoTime.nullable(),
  number: z
    .object({
      quality: z
        .string()
        .nullable()
        .describe("Meta's quality rating of the number: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`. Null: not reported."),
      status: z.string().nullable(),
      name_status: z.string().nullable(),
      can_send: z
        .string()
        .nullable()
        .describe('Whether Meta lets the number send: `AVAILABLE`, `LIMITED` or `BLOCKED`. Null: not reported.'),
      throughput: z.string().nullable(),
      limit: z
        .union([z.number().int(), z.literal('unlimited')])
        .nullable()
        .describe(
          'Messaging limit: number of people to whom all numbers of the business together may write first within 24 hours. Null: not reported.',
        ),
    })
    .nullable()
    .describe('What Meta reported about the number, at the last check or in a callback since. Null: nothing yet.'),
  people_24h: z
    .number()
    .int()
    .nullable()
    .describe(
      'Number of people to whom the numbers of this WhatsApp Business account wrote through Kurir in the last 24 hours. Null: counting took too long.',
    ),
  account: z
    .object({
      standing: accountStanding,
      reason: accountReason.nullable(),
      detail: z.string().nullable().describe('Name or code that Meta uses for `reason`. Null: none.'),
      since: isoTime,
      from: isoTime
        .nullable()
        .describe('Time when the measure takes effect, if Meta has only announced it. Null: it is in effect.'),
      until: isoTime.nullable(),
    })
    .nullable()
    .describe('Standing of the WhatsApp Business account. Null: Meta has reported nothing about it.'),
  news: z.array(
    z.object({
      kind: newsKind,
      code: z.string().describe('Name that Meta uses for the event.'),
      severity: newsSeverity,
      at: isoTime,
      detail: z.string().nullable().describe('Text that Meta wrote about the event. Null: none.'),
    }),
  ),
  refused_callbacks: z
    .object({ count: z.number().int(), last_at: isoTime })
    .nullable()
    .describe(
      'Callbacks from Meta, since Kurir started, whose signature matched no sender. This usually means that the app secret is wrong. Null: none.',
    ),
  graph_version: z.object({ version: z.string(), ends_at: isoTime.nullable() }),
})

/** Registers the number with the Cloud API. Only this call can: WhatsApp Manager cannot. */
export const registerRequest = z.object({
  pin: shaped(/^\d{6}$/, '482913').describe(
    'PIN of two-step verification, six digits: the current PIN of the number, or, if it has none, a new PIN to be set.',
  ),
})
