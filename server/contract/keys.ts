import { z } from 'zod'
import { answer, isoTime } from './envelope.ts'
import { givenName } from './fields.ts'

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

/** The readable part of a key; `hint` is its last four characters. */
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
