import { z } from 'zod'
import { failureCode } from './failures.ts'
import { answer, isoTime, month } from './fields.ts'
import { channel, status } from './messages.ts'

/** GET /api/summary?month=2026-11 */
export const summaryQuery = z.object({
  month: month.describe('Month in the time zone of this PC, such as `2026-11`.'),
})

const counts = z.partialRecord(status, z.number().int())

export const summaryView = z.object({
  month: z.string(),
  total: z.number().int(),
  counts: counts.describe('Number of messages by status, without those of sandbox senders.'),
  senders: z.array(z.object({ sender_code: z.string(), channel, total: z.number().int(), counts })),
  reasons: z.array(z.object({ code: failureCode, count: z.number().int() })),
  days: z.array(z.object({ day: z.iso.date(), total: z.number().int(), failed: z.number().int() })),
})
export type SummaryView = z.infer<typeof summaryView>
export const summaryAnswer = answer(summaryView)

/** GET /api/customers/{phone}: the log of one number, summed up over both channels. */
const customerView = z.object({
  phone: z
    .string()
    .describe('Phone number with country code, digits only, as Kurir understood the number in the path.'),
  total: z.number().int(),
  counts: z.partialRecord(status, z.number().int()),
  sender_codes: z.array(z.string()).describe('Codes of the senders that wrote to this number, the most active first.'),
  first_at: isoTime.nullable(),
  last_at: isoTime.nullable().describe('Time when the newest message was accepted. Null: no message.'),
})
export type CustomerView = z.infer<typeof customerView>
export const customerAnswer = answer(customerView)
