import { z } from 'zod'
import { errorDetail } from './errors.ts'
import { answer, isoTime, listAnswer, paging } from './fields.ts'
import { LONGEST_RECIPIENT, phoneOrUserIdInput } from './phone.ts'

/** Scope of an opt-out: advertising, or any message. */
export const SUPPRESSION_SCOPES = ['marketing', 'all'] as const
export const suppressionScope = z.enum(SUPPRESSION_SCOPES)
export type SuppressionScope = z.infer<typeof suppressionScope>

/** Source of an opt-out: the customer by a keyword, Meta, the owner, a program. */
export const SUPPRESSION_SOURCES = ['keyword', 'provider', 'owner', 'api'] as const
export const suppressionSource = z.enum(SUPPRESSION_SOURCES)
export type SuppressionSource = z.infer<typeof suppressionSource>

const senderCode = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('Code of the sender to which the opt-out applies. Omitted: all senders.')

export const createSuppressionRequest = z.object({
  phone: phoneOrUserIdInput.meta({
    description: "Phone number in international form, or Meta's user ID if only that is known.",
    examples: ['6281234567890'],
  }),
  scope: suppressionScope.default('marketing'),
  sender_code: senderCode,
})
export type CreateSuppressionRequest = z.infer<typeof createSuppressionRequest>

/** Names the opt-out to remove. Strict: an ignored misspelt `sender_code` means every sender. */
export const suppressionName = z.strictObject({ phone: phoneOrUserIdInput, sender_code: senderCode })

export const suppressionQuery = z.object({
  phone: z.string().max(LONGEST_RECIPIENT).optional().describe('Only opt-outs of this phone number.'),
  sender_code: z.string().max(64).optional().describe('Only opt-outs that apply to this sender.'),
  ...paging,
})

export const suppressionView = z.object({
  phone: z.string().describe("Phone number, digits only; or Meta's user ID if Meta does not give the number."),
  scope: suppressionScope,
  source: suppressionSource,
  sender_code: z.string().nullable().describe('Code of the sender to which the opt-out applies. Null: all senders.'),
  at: isoTime,
})
export type SuppressionView = z.infer<typeof suppressionView>

export const suppressionAnswer = answer(suppressionView)
export const suppressionsAnswer = listAnswer(suppressionView)
export const suppressionRemovedAnswer = answer(z.object({ removed: z.number().int() }))

/** Result of an import; `refused` names lines of the file, from 1, each with its fault. */
export const suppressionImportAnswer = answer(
  z.object({
    added: z.number().int(),
    refused: z.array(errorDetail.extend({ line: z.number().int() })).describe('The first 50 rows that were refused.'),
    refused_count: z.number().int(),
  }),
)

/** POST /api/suppressions/import/check: how an import would read a table. Stores nothing. */
export const suppressionCheckAnswer = answer(
  suppressionImportAnswer.shape.data.omit({ added: true }).extend({
    count: z.number().int().describe('Number of rows that the import would take.'),
    first: z
      .array(suppressionView.pick({ phone: true, scope: true, sender_code: true }))
      .describe('The first three rows that the import would take.'),
  }),
)

export const IMPORT_MAX_LINES = 100_000

/** `data` of `contact.opted_out` and `contact.opted_in`. */
export const contactEventData = z.object({
  sender_code: z.string().nullable().describe('Code of the sender to which the opt-out applies. Null: all senders.'),
  phone: z.string(),
  scope: suppressionScope,
  source: suppressionSource,
  occurred_at: isoTime,
})
