import { z } from 'zod'
import { customerAnswer } from '../../contract/customers.ts'
import { numbersMeant } from '../../contract/phone.ts'
import { customerSummary, type SummaryDeps } from '../../messages/summary.ts'
import { countriesOf } from '../request.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export const customerRoutes = (deps: SummaryDeps): Route[] => [
  defineRoute({
    tag: 'Messages',
    method: 'GET',
    path: '/api/customers/{phone}',
    auth: 'owner',
    summary: 'What one number got, in short; the number as people write it',
    params: z.object({ phone: z.string().max(64) }),
    answer: customerAnswer,
    handler: async ({ params: { phone } }) =>
      ok('Customer.', await customerSummary(deps, numbersMeant(phone, countriesOf(deps.senders)))),
  }),
]
