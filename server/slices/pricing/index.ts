import { defineRoute, ok, type Route } from '../../http/route.ts'
import { localMonth, spanOfMonth } from '../../lib/local-time.ts'
import type { FigureStore, Store } from '../../store/index.ts'
import { prices, pricesAnswer, pricingAnswer, pricingQuery, setPricesRequest } from './contract.ts'

/** Returns the months that have billed messages, newest first. */
async function monthsOf({ nextBilled }: FigureStore): Promise<string[]> {
  const months: string[] = []
  for (let at = await nextBilled(0); at !== null; ) {
    const month = localMonth(at)
    months.unshift(month)
    at = await nextBilled(spanOfMonth(month).until)
  }
  return months
}

export const pricingRoutes = ({ figures, senders, meta }: Store, now: () => number): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/pricing',
    auth: 'owner',
    tag: 'Senders',
    summary: 'Count delivered messages by price category',
    description:
      'Counts the delivered messages of a month by sender, category and type of pricing, as Meta reported them.',
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
        prices: prices.parse(JSON.parse(meta.get('meta_prices') ?? '{}')),
      })
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/pricing',
    auth: 'owner',
    tag: 'Senders',
    summary: 'Set the price of a message in each category',
    description:
      'Meta reports no amounts, so the owner enters them. The request replaces all prices that were entered before; the window uses them to calculate the cost of a month.',
    body: setPricesRequest,
    answer: pricesAnswer,
    handler: async ({ body }) => {
      await meta.save('meta_prices', JSON.stringify(body.prices))
      return ok('Prices saved.', body)
    },
  }),
]
