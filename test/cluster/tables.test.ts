import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTableStore } from '../../server/slices/tables/store.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { databaseOf, KEY_FILE } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { act, send, take, view } from '../support/tables.ts'

const MINUTE = 60_000

const phones = (count: number) => Array.from({ length: count }, (_, n) => `+62812000${10_000 + n};${n}`).join('\n')

async function startTwo() {
  const clocks = { a: createTestClock(), b: createTestClock() }
  const second = await startApp({ clock: clocks.b, env: { KURIR_NODE: 'b' } })
  const env = {
    KURIR_NODE: 'a',
    KURIR_DATABASE_URL: await databaseOf(second.home),
    KURIR_VAULT_KEY_FILE: join(second.home, KEY_FILE),
  }
  const first = await startApp({ clock: clocks.a, env })
  return { clocks, first, second }
}

test('what one node queues of a table while another one stops it is taken back', async () => {
  const { clocks, first, second } = await startTwo()
  await second.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
  const { id } = (await take(second, `Phone;Order\n${phones(20)}`)).body.data
  const { messages, statements } = second.app.store
  const tables = createTableStore(statements)
  const { accept } = messages
  const stopped = Promise.withResolvers<void>()
  let begun = false
  messages.accept = async (...about) => {
    begun = true
    await stopped.promise
    return accept(...about)
  }
  await send(second, id, { phone_column: 'Phone', message: 'Order {Order} is ready.' }, 20)
  await clocks.b.advance(10_000)
  await eventually(() => begun)
  expect((await act(first, id, 'cancel')).status).toBe(200)
  await eventually(async () => (await tables.find(id))?.busy === false)
  stopped.resolve()
  await eventually(async () => (await view(first, id)).counts.cancelled === 20)
})

test('a table that its node did not come to send is sent by the node that does the jobs of all', async () => {
  const { clocks, first, second } = await startTwo()
  const { id } = (await take(second, 'Phone;Order\n+6281200001001;1\n+6281200001002;2')).body.data
  // Its ten seconds never end on the node that planned it, as after a crash.
  const sent = await send(second, id, { phone_column: 'Phone', message: 'Order {Order} is ready.' }, 2)
  expect(sent.status, sent.text).toBe(200)
  await clocks.a.advance(MINUTE)
  const texts = async () =>
    (await first.owner<{ message: string }[]>('/messages?limit=5')).body.data.map(({ message }) => message)
  await eventually(async () => (await texts()).length === 2)
  expect(await texts()).toEqual(['Order 2 is ready.', 'Order 1 is ready.'])
})
