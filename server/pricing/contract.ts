import { z } from 'zod'
import { answer } from '../contract/envelope.ts'
import { month } from '../contract/fields.ts'
import { pricing } from '../contract/messages.ts'

export const pricingQuery = z.object({
  month: month.optional().describe('By the calendar of this PC; default: this month.'),
})

/**
 * Delivered messages of a month by what Meta reported to bill. Counts are kept for longer than
 * messages.
 */
export const pricingMonth = z
  .object({
    month,
    months: z.array(month).describe('For which there are counts, newest first.'),
    rows: z.array(pricing.extend({ sender_code: z.string(), count: z.number().int() })),
    billable: z.number().int().describe('Of all rows together, those that Meta bills.'),
    free: z.number().int().describe('Those that it does not bill.'),
  })
  .meta({ id: 'PricingMonth' })
export type PricingMonth = z.infer<typeof pricingMonth>

export const pricingAnswer = answer(pricingMonth)
