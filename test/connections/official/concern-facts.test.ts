import { expect, test } from 'vitest'
import { createConcernFacts } from '../../../server/connections/official/account/concern-facts.ts'
import type { Store } from '../../../server/store/index.ts'
import { startApp } from '../../support/app.ts'
import { addOfficial } from '../../support/official.ts'

test('numbers of one business share the count of the people that they wrote to', async () => {
  const app = await startApp()
  const codes = [await addOfficial(app), await addOfficial(app)]
  const { store } = app.app
  const senders = codes.map((code) => store.senders.byCode(code)).filter((sender) => sender !== undefined)
  const number = { quality: null, status: null, nameStatus: null, canSend: null, throughput: null, limit: 250 }
  for (const { id } of senders) await store.officialFacts.change(id, () => ({ number }))
  const asked: unknown[] = []
  const messages: Pick<Store['messages'], 'silentSince' | 'peopleWrittenTo'> = {
    silentSince: store.messages.silentSince,
    peopleWrittenTo(laneIds, ms) {
      asked.push(laneIds)
      return store.messages.peopleWrittenTo(laneIds, ms)
    },
  }
  const nothing = async () => 0
  const factsOf = createConcernFacts({
    accounts: { unreadable: () => [] },
    facts: store.officialFacts,
    senders: store.senders,
    messages,
    catalogue: { troubles: nothing, ofLowQuality: async () => [], recategorised: nothing },
    refusedCallbacks: () => 0,
    publicUrl: () => null,
    awakeSince: () => 0,
    now: Date.now,
  })
  const read = async () => [...(await factsOf(senders)).values()].map(({ messagingLimit }) => messagingLimit)
  const limit = { used: 0, total: 250 }
  expect(await read()).toEqual([limit, limit])
  expect(asked).toEqual([senders.map(({ id }) => id)])
  expect(await read(), 'the next time it is counted again').toEqual([limit, limit])
  expect(asked).toHaveLength(2)
})
