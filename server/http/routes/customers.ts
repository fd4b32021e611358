import { z } from 'zod'
import { customerAnswer } from '../../contract/customers.ts'
import { LONGEST_RECIPIENT, numbersMeant } from '../../contract/phone.ts'
import type { Language, Settings } from '../../contract/settings.ts'
import { customerSummary, type SummaryDeps } from '../../messages/summary.ts'
import type { SenderStore } from '../../store/index.ts'
import { countriesOf } from '../message-filter.ts'
import { defineRoute, ok, type Route } from '../route.ts'

interface CustomerRouteDeps extends SummaryDeps {
  senders: SummaryDeps['senders'] & SenderStore
  settings: { get: () => Pick<Settings, 'language'> }
}

/** The country in which a language is spoken, for a shop that has no number yet. */
const COUNTRY_OF_LANGUAGE: Partial<Record<Language, string>> = { id: '62' }

function countries({ senders, settings }: CustomerRouteDeps): string[] {
  const spoken = COUNTRY_OF_LANGUAGE[settings.get().language]
  return [...countriesOf(senders), ...(spoken === undefined ? [] : [spoken])]
}

export const customerRoutes = (deps: CustomerRouteDeps): Route[] => [
  defineRoute({
    tag: 'Messages',
    method: 'GET',
    path: '/api/customers/{phone}',
    auth: 'owner',
    summary: 'Sum up the messages to one number',
    description: 'A number without a country code is read as one of the countries of your senders.',
    params: z.object({
      phone: z.string().max(LONGEST_RECIPIENT).describe("The number, as people write it, or Meta's user ID."),
    }),
    answer: customerAnswer,
    handler: async ({ params: { phone } }) =>
      ok('Customer.', await customerSummary(deps, numbersMeant(phone, countries(deps)))),
  }),
]
