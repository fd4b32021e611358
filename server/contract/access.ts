import { z } from 'zod'
import { answer, givenName, isoTime, shaped } from './fields.ts'
import { PAGE_TOKEN_HEADER } from './page-token.ts'

export const createKeyRequest = z.object({
  kind: z.enum(['global', 'device']),
  name: givenName('till'),
  sender_code: z
    .string()
    .max(64)
    .optional()
    .describe('The only sender that the key can use. Required for a device key; must be omitted for a global key.'),
  scopes: z
    .enum(['all', 'read'])
    .default('all')
    .describe(
      '`read`: the key can only read messages, senders and, as a global key, metrics; it cannot send or change anything. `all`: no such limit.',
    ),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
  refuse_duplicate_reference: z.boolean().default(false),
  refuse_duplicate_content_seconds: z
    .number()
    .int()
    .min(1)
    .max(86_400)
    .nullish()
    .describe(
      'Seconds within which the same text and file for the same recipient are refused with 409 `duplicate_content`. Null: repeated content is accepted.',
    ),
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

export const keyCreatedAnswer = answer(
  keyView.extend({
    key: z
      .string()
      .describe('The API key itself, for the header `Authorization: Bearer`. Returned only in this response.'),
  }),
)
export const keysAnswer = answer(z.array(keyView))

export const openSessionRequest = z.object({
  code: z.string().min(1).max(128).describe('One-time code from the login link.'),
})

const sessionOpened = z.object({
  id: z.string(),
  page_token: z
    .string()
    .describe(
      `Token that the browser must send in the header ${PAGE_TOKEN_HEADER} with every request. Returned only in this response.`,
    ),
})
export const sessionOpenedAnswer = answer(sessionOpened)

/** A browser that is logged in as the owner. */
export const sessionView = z.object({
  id: z.string(),
  /** True for the session of this call. */
  current: z.boolean(),
  address: z.string().describe('IP address from which the browser logged in.'),
  browser: z.string().nullable().describe('User-Agent header of the browser when it logged in. Null: it sent none.'),
  created_at: isoTime,
  last_used_at: isoTime.describe('Time of the last request, accurate to one hour.'),
  expires_at: isoTime.describe('Time when the session ends: 30 days after the last request.'),
})
export type SessionView = z.infer<typeof sessionView>
export const sessionsAnswer = answer(z.array(sessionView))

/** A link that opens the window once. */
export const windowLink = z.object({
  url: z.string().describe('Login link for a browser on this PC. It works once.'),
  lan_urls: z
    .array(z.string())
    .describe(
      'The same login link for a phone or another PC on the local network, one for each address of this PC. Empty unless the owner allowed administration from other devices.',
    ),
  expires_at: isoTime.describe('Time when the link expires: 10 minutes after it was created.'),
})
export type WindowLink = z.infer<typeof windowLink>
export const windowLinkAnswer = answer(windowLink)

export const proofQuery = z.object({
  nonce: shaped(/^[\w-]{22,64}$/, 'q9V0Zk1mT3xY7bN2cR5wLg').describe(
    'Random value chosen by the client. Use a new one for each request.',
  ),
})
export const proofAnswer = answer(
  z.object({
    time: z
      .number()
      .int()
      .describe(
        'Milliseconds on an internal clock of this Kurir, not the time of day. The client includes this value in the request that follows.',
      ),
    proof: z
      .string()
      .describe(
        'HMAC over `nonce` and `time`. Only a program that can read the data folder, or the database that the nodes share, can verify it.',
      ),
  }),
)
