import { z } from 'zod'
import { isoTime, listAnswer, paging } from '../contract/envelope.ts'
import { ERROR_CODES } from '../contract/errors.ts'

/** An error, or a guess of which a programmer should know. */
export const refusedCode = z.enum([...ERROR_CODES, 'charset_assumed'])
export type RefusedCode = z.infer<typeof refusedCode>

/** Calls of programs that were answered with an error. No bodies, no messages. */
export const refusedCall = z
  .object({
    id: z.string(),
    at: isoTime,
    key: z.string().nullable().describe('Name of the API key; null where none was recognised.'),
    address: z.string().describe('Where the call came from.'),
    method: z.string(),
    path: z.string().describe('The route, such as `/messages/{id}`, with its parameters left out.'),
    status: z.int(),
    code: refusedCode.describe('`charset_assumed`: it was taken, and read in the charset of Windows.'),
    field: z.string().nullable().describe('The first wrong field.'),
    problem: z.string().nullable().describe('Code of what was wrong with the field (`details[].code`).'),
    recipient: z.string().nullable().describe('The phone number of the call, where it had one.'),
  })
  .meta({ id: 'RefusedCall' })
export type RefusedCall = z.infer<typeof refusedCall>
export const refusedCallsAnswer = listAnswer(refusedCall).extend({
  not_kept: z.int().describe('How many, since Kurir started, were too many in a second to be listed.'),
})
export const refusedCallsQuery = z.object(paging)
