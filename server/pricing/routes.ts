import { defineRoute, ok, type Route } from '../http/route.ts'
import { localMonth, spanOfMonth } from '../lib/local-time.ts'
import type { FigureStore, SenderStore } from '../store/index.ts'
import { pricingAnswer, pricingQuery } from './contract.ts'

export interface PricingRouteDeps {
  figures: FigureStore
  senders: SenderStore
  now: () => number
}

/** Months with prices, newest first. */
async function monthsOf({ nextBilled }: FigureStore): Promise<string[]> {
  const months: string[] = []
  for (let at = await nextBilled(0); at !== null; ) {
    const month = localMonth(at)
    months.unshift(month)
    at = await nextBilled(spanOfMonth(month).until)
  }
  return months
}

export const pricingRoutes = ({ figures, senders, now }: PricingRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/pricing',
    auth: 'owner',
    tag: 'Senders',
    summary: "Count Meta's bill for the delivered messages of a month",
    description: 'By sender, category and kind of price, as Meta reported it in its statuses.',
    query: pricingQuery,
    answer: pricingAnswer,
    handler: async ({ query }) => {
      const month = query.month ?? localMonth(now())
      const [rows, months] = await Promise.all([figures.billed(spanOfMonth(month)), monthsOf(figures)])
      const sum = (billed: boolean) =>
        rows.filter(({ pricing }) => pricing.billable === billed).reduce((total, { count }) => total + count, 0)
      return ok('Messages by price.', {
        month,
        months,
        rows: rows.map(({ senderId, pricing, count }) => ({
          sender_code: senders.codeOf(senderId),
          ...pricing,
          count,
        })),
        billable: sum(true),
        free: sum(false),
      })
    },
  }),
]
