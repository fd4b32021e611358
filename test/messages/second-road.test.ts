import { expect, test } from 'vitest'
import type { Outcome } from '../../server/messages/channel.ts'
import type { Message } from '../../server/store/index.ts'
import { startLanes } from '../support/lane.ts'

/** Moves a message into the lane of the second sender, as the second road does. */
const move = ({ seq }: Message) => ({
  ref: { seq },
  change: () => ({
    ...{ status: 'queued' as const, at: 0, nextAt: 0 },
    road: { channel: 'standard' as const, laneId: 2, template: null, providerMessageId: null },
  }),
})

test.each<['go' | Outcome, string]>([
  ['go', 'would be sent'],
  [{ kind: 'refused', code: 'recipient_not_on_whatsapp' }, 'would fail'],
  [{ kind: 'not_sent', reason: 'no answer' }, 'would step aside'],
])('a message that moved while its first lane asked about it (%j) leaves by the second lane alone', async (answer) => {
  const lane = await startLanes({ senders: 2 })
  const [, second] = lane.channels
  if (second === undefined) throw new Error('a second lane')
  // What the first lane does comes first.
  second.script.ready = false
  const asked = Promise.withResolvers<Outcome | 'go'>()
  const began = Promise.withResolvers<void>()
  lane.script.check = () => {
    began.resolve()
    return asked.promise
  }
  const id = await lane.accept('Halo')
  await began.promise
  const { ref, change } = move(await lane.message(id))
  await lane.run.record.change(ref, change)
  await lane.quiet()
  asked.resolve(answer)
  await lane.pass(60_000)
  second.script.ready = true
  lane.run.lanes.wake(2)
  await lane.pass(60_000)
  expect(lane.bodies()).toEqual([])
  expect(second.bodies()).toEqual(['Halo'])
  expect(await lane.message(id)).toMatchObject({ status: 'sent', senderId: 1, laneId: 2, error: null })
})

test('advertising takes no second road to somebody who opted out of it there', async () => {
  const lane = await startLanes({ senders: 2 })
  const [, second] = lane.channels
  if (second === undefined) throw new Error('a second lane')
  lane.script.ready = false
  const ids = [await lane.accept('Promo', { purpose: 'marketing' }), await lane.accept('Invoice')]
  const { recipient: phone } = await lane.message(ids[0] ?? '')
  const optOut = { phone, senderId: 2, scope: 'marketing', source: 'keyword', at: 0 } as const
  await lane.run.store.suppressions.put(optOut, 'SND-2')
  for (const id of ids) {
    const { ref, change } = move(await lane.message(id))
    await lane.run.record.change(ref, change)
  }
  await lane.pass(60_000)
  expect(second.bodies()).toEqual(['Invoice'])
  expect(await lane.message(ids[0] ?? '')).toMatchObject({
    status: 'cancelled',
    error: { code: 'recipient_opted_out' },
  })
})
