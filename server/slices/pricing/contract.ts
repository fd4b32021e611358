import { z } from 'zod'
import { answer, boundedRecord, month } from '../../contract/fields.ts'
import { pricing } from '../../contract/messages.ts'

/**
 * The price of one message by category, such as `utility`, in the currency in which Meta bills the
 * owner. Meta reports no money, so the owner enters it.
 */
export const prices = boundedRecord(z.number().min(0).max(1_000_000), 50)
export const setPricesRequest = z.object({
  prices: prices.describe('Price of one message by category. Replaces all prices that were entered before.'),
})
export const pricesAnswer = answer(z.object({ prices }))

export const pricingQuery = z.object({
  month: month.optional().describe('Month in the time zone of this PC, such as `2026-11`. Default: the current month.'),
})

/** Delivered messages of a month as Meta bills them. These counts are kept longer than messages. */
export const pricingMonth = z
  .object({
    month,
    months: z.array(month).describe('Months for which there are counts, newest first.'),
    rows: z.array(pricing.extend({ sender_code: z.string(), count: z.number().int() })),
    billable: z.number().int().describe('Number of messages in all rows that Meta bills.'),
    free: z.number().int().describe('Number of messages in all rows that Meta does not bill.'),
    prices: prices.describe('Price of one message by category, as the owner entered it.'),
  })
  .meta({ id: 'PricingMonth' })
export type PricingMonth = z.infer<typeof pricingMonth>

export const pricingAnswer = answer(pricingMonth)
