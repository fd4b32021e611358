import { z } from 'zod'
import { answer } from './envelope.ts'
import { failureCode } from './failures.ts'
import { month } from './fields.ts'
import { channel, status } from './messages.ts'

/** GET /api/summary?month=2026-11: a month of this PC's calendar. */
export const summaryQuery = z.object({
  month: month.describe('A month of this PC’s calendar, such as 2026-11.'),
})

const counts = z.partialRecord(status, z.number().int())

export const summaryView = z.object({
  month: z.string(),
  total: z.number().int(),
  counts: counts.describe('By status. The sandbox counts nowhere.'),
  senders: z.array(z.object({ sender_code: z.string(), channel, total: z.number().int(), counts })),
  reasons: z.array(z.object({ code: failureCode, count: z.number().int() })),
  days: z.array(z.object({ day: z.iso.date(), total: z.number().int(), failed: z.number().int() })),
})
export type SummaryView = z.infer<typeof summaryView>
export const summaryAnswer = answer(summaryView)
