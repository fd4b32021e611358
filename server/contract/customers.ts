import { z } from 'zod'
import { answer, isoTime } from './envelope.ts'
import { status } from './messages.ts'

/** GET /api/customers/{phone}: what is in the log of one number, both routes together. */
export const customerView = z.object({
  phone: z.string().describe('Digits with the country code, of the number that was meant.'),
  total: z.number().int(),
  counts: z.partialRecord(status, z.number().int()),
  sender_codes: z.array(z.string()).describe('Senders that wrote to it, the busiest first.'),
  first_at: isoTime.nullable(),
  last_at: isoTime.nullable().describe('When the newest message was accepted.'),
})
export type CustomerView = z.infer<typeof customerView>
export const customerAnswer = answer(customerView)
