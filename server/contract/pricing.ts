import { z } from 'zod'
import { answer } from './envelope.ts'
import { shaped } from './fields.ts'
import { pricing } from './messages.ts'

export const month = shaped(/^\d{4}-(0[1-9]|1[0-2])$/, '2026-11')

export const pricingQuery = z.object({
  month: month.optional().describe('By the calendar of this PC; default: this month.'),
})

/**
 * Delivered messages of a month by what Meta reported to bill. Counts are kept for longer than
 * messages.
 */
export const pricingMonth = z.object({
  month,
  months: z.array(month).describe('For which there are counts, newest first.'),
  rows: z.array(pricing.extend({ sender_code: z.string(), count: z.number().int() })),
  billable: z.number().int().describe('Of all rows together, those that Meta bills.'),
  free: z.number().int().describe('Those that it does not bill.'),
})
export type PricingMonth = z.infer<typeof pricingMonth>

export const pricingAnswer = answer(pricingMonth)
