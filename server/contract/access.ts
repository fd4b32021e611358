import { z } from 'zod'
import { answer, givenName, isoTime, shaped } from './fields.ts'
import { PAGE_TOKEN_HEADER } from './page-token.ts'

export const createKeyRequest = z.object({
  kind: z.enum(['global', 'device']),
  name: givenName('till'),
  sender_code: z.string().max(64).optional().describe('Needed for a device key.'),
  scopes: z
    .enum(['all', 'read'])
    .default('all')
    .describe('`read`: only messages, senders and metrics are answered, nothing is sent or changed.'),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
  refuse_duplicate_reference: z.boolean().default(false),
  refuse_duplicate_content_seconds: z
    .number()
    .int()
    .min(1)
    .max(86_400)
    .nullish()
    .describe('Refuses the same text and file to the same number within this time.'),
  rate_limit_per_minute: z.number().int().min(1).max(1_000_000).nullish(),
})
export type CreateKeyRequest = z.infer<typeof createKeyRequest>

/** An API key without its secret. `hint`: the key's last four characters. */
export const keyView = z.object({
  id: z.string(),
  kind: z.enum(['global', 'device']),
  name: z.string(),
  sender_code: z.string().nullable(),
  scopes: z.enum(['all', 'read']),
  hint: z.string(),
  refuse_duplicate_reference: z.boolean(),
  refuse_duplicate_content_seconds: z.number().nullable(),
  rate_limit_per_minute: z.number().nullable(),
  created_at: isoTime,
  last_used_at: isoTime.nullable(),
  expires_at: isoTime.nullable(),
  revoked_at: isoTime.nullable(),
})
export type KeyView = z.infer<typeof keyView>

export const keyCreatedAnswer = answer(keyView.extend({ key: z.string().describe('Shown only once.') }))
export const keysAnswer = answer(z.array(keyView))

export const openSessionRequest = z.object({
  code: z.string().min(1).max(128).describe('The one-time code of the link.'),
})

const sessionOpened = z.object({
  id: z.string(),
  page_token: z.string().describe(`Goes into the header ${PAGE_TOKEN_HEADER} of every call. It is shown only once.`),
})
export const sessionOpenedAnswer = answer(sessionOpened)

/** A browser that is logged in as the owner. */
export const sessionView = z.object({
  id: z.string(),
  /** True for the session of this call. */
  current: z.boolean(),
  address: z.string().describe('Where it was opened from.'),
  browser: z.string().nullable().describe('What the browser called itself then (User-Agent).'),
  created_at: isoTime,
  last_used_at: isoTime.describe('To the hour.'),
  expires_at: isoTime.describe('30 days after the last use.'),
})
export type SessionView = z.infer<typeof sessionView>
export const sessionsAnswer = answer(z.array(sessionView))

/** A link that opens the window once. */
export const windowLink = z.object({
  url: z.string().describe('For a browser on this PC.'),
  lan_urls: z
    .array(z.string())
    .describe('The same for a phone or another PC on the LAN; empty unless the owner allowed remote administration.'),
  expires_at: isoTime.describe('In 10 minutes.'),
})
export type WindowLink = z.infer<typeof windowLink>
export const windowLinkAnswer = answer(windowLink)

export const proofQuery = z.object({
  nonce: shaped(/^[\w-]{22,64}$/, 'q9V0Zk1mT3xY7bN2cR5wLg').describe(
    'Chosen by the one who asks, another one for each call.',
  ),
})
export const proofAnswer = answer(
  z.object({
    time: z.number().int().describe('Milliseconds, by a clock of its own. A request that follows holds it.'),
    proof: z.string().describe('Only those can check it who may read the data folder, or the database of its nodes.'),
  }),
)
