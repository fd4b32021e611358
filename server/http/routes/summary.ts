import { z } from 'zod'
import { LONGEST_RECIPIENT, numbersMeant } from '../../contract/phone.ts'
import type { Language } from '../../contract/settings.ts'
import { customerAnswer, summaryAnswer, summaryQuery } from '../../contract/summary.ts'
import { customerSummary, monthSummary } from '../../messages/summary.ts'
import type { SettingsService } from '../../settings/settings.ts'
import type { Store } from '../../store/index.ts'
import { countriesOf } from '../message-filter.ts'
import { defineRoute, ok, type Route } from '../route.ts'

/** The country in which a language is spoken, for a shop that has no number yet. */
const COUNTRY_OF_LANGUAGE: Partial<Record<Language, string>> = { id: '62' }

function countries({ senders }: Store, settings: SettingsService): string[] {
  const spoken = COUNTRY_OF_LANGUAGE[settings.get().language]
  return [...countriesOf(senders), ...(spoken === undefined ? [] : [spoken])]
}

export const summaryRoutes = (store: Store, settings: SettingsService): Route[] => [
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
      ok('Customer.', await customerSummary(store, numbersMeant(phone, countries(store, settings)))),
  }),
  defineRoute({
    tag: 'Messages',
    method: 'GET',
    path: '/api/summary',
    auth: 'owner',
    summary: 'Sum up a month',
    description: 'Counted by the calendar of this PC, without the sandbox.',
    query: summaryQuery,
    answer: summaryAnswer,
    handler: async ({ query: { month } }) => ok('Summary.', await monthSummary(store, month)),
  }),
]
