import { expect, test } from 'vitest'
import { concernFacts } from '../../../server/connections/official/account/concern-facts.ts'
import { createCatalogue } from '../../../server/connections/official/templates/catalogue.ts'
import { startApp } from '../../support/app.ts'
import { addOfficial } from '../../support/official.ts'
import { officialContext } from '../../support/official-context.ts'

test('numbers of one business share the count of people written to', async () => {
  const app = await startApp()
  const codes = [await addOfficial(app), await addOfficial(app)]
  const { store } = app.app
  const senders = codes.map((code) => store.senders.byCode(code)).filter((sender) => sender !== undefined)
  const unknown = { quality: null, qualitySince: null, status: null, nameStatus: null }
  const number = { ...unknown, canSend: null, throughput: null, limit: 250 }
  for (const { id } of senders) await store.officialFacts.change(id, () => ({ number }))
  const asked: unknown[] = []
  const messages: typeof store.messages = {
    ...store.messages,
    peopleWrittenTo(laneIds, ms) {
      asked.push(laneIds)
      return store.messages.peopleWrittenTo(laneIds, ms)
    },
  }
  const context = officialContext({ ...store, messages })
  const account = {
    ...context,
    catalogue: createCatalogue(context),
    probe: async () => null,
    refusedCallbacks: () => null,
    graphVersion: 'v26.0',
    reportState() {},
    awakeSince: () => 0,
  }
  const read = async () =>
    [...(await concernFacts(account, senders)).values()].map(({ messagingLimit }) => messagingLimit)
  const limit = { used: 0, total: 250 }
  expect(await read()).toEqual([limit, limit])
  expect(asked).toEqual([senders.map(({ id }) => id)])
  expect(await read(), 'the next time it is counted again').toEqual([limit, limit])
  expect(asked).toHaveLength(2)
})
