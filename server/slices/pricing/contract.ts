import { z } from 'zod'
import { answer, boundedRecord, month } from '../../contract/fields.ts'
import { pricing } from '../../contract/messages.ts'

/**
 * The price of one message by category, such as `utility`, in the currency in which Meta bills the
 * owner. Meta reports no money, so the owner enters it.
 */
export const prices = boundedRecord(z.number().min(0).max(1_000_000), 50)
export const setPricesRequest = z.object({ prices: prices.describe('In place of those that were entered before.') })
export const pricesAnswer = answer(z.object({ prices }))

export const pricingQuery = z.object({
  month: month.optional().describe('By the calendar of this PC; default: this month.'),
})

/** Delivered messages of a month as Meta bills them. These counts are kept longer than messages. */
export const pricingMonth = z
  .object({
    month,
    months: z.array(month).describe('For which there are counts, newest first.'),
    rows: z.array(pricing.extend({ sender_code: z.string(), count: z.number().int() })),
    billable: z.number().int().describe('Of all rows together, those that Meta bills.'),
    free: z.number().int().describe('Those that it does not bill.'),
    prices: prices.describe('Of one message of a category, as the owner has entered them.'),
  })
  .meta({ id: 'PricingMonth' })
export type PricingMonth = z.infer<typeof pricingMonth>

export const pricingAnswer = answer(pricingMonth)
