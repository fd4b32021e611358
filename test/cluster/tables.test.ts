import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { databaseOf, KEY_FILE } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { send, take } from '../support/tables.ts'

const MINUTE = 60_000

test('a table that its node did not come to send is sent by the node that does the jobs of all', async () => {
  const clocks = { a: createTestClock(), b: createTestClock() }
  const second = await startApp({ clock: clocks.b, env: { KURIR_NODE: 'b' } })
  const env = {
    KURIR_NODE: 'a',
    KURIR_DATABASE_URL: await databaseOf(second.home),
    KURIR_VAULT_KEY_FILE: join(second.home, KEY_FILE),
  }
  const first = await startApp({ clock: clocks.a, env })
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
