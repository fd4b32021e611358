import { pricingAnswer, pricingQuery } from '../../contract/pricing.ts'
import { localMonth } from '../../lib/local-time.ts'
import type { PricingCountStore, SenderStore } from '../../store/index.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export interface PricingRouteDeps {
  counts: PricingCountStore
  senders: SenderStore
  now: () => number
}

export const pricingRoutes = ({ counts, senders, now }: PricingRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/pricing',
    auth: 'owner',
    tag: 'Senders',
    summary: 'What Meta bills for the delivered messages of a month',
    query: pricingQuery,
    answer: pricingAnswer,
    handler: async ({ query }) => {
      const month = query.month ?? localMonth(now())
      const [rows, months] = await Promise.all([counts.ofMonth(month), counts.months()])
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
