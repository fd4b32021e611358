import { expect, test } from 'vitest'
import type { Db } from '../../server/store/sqlite/database.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'

test('receipts of a sandbox that fall into a full disk come when there is room again', async () => {
  let db: Db | undefined
  const clock = createTestClock()
  const app = await startApp({ clock, overrides: { opened: (opened) => (db = opened) } })
  const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX }
  const { id } = (await app.owner<{ id: string }>('/send', { body })).body.data
  await app.reached(id, 'sent')
  db?.pragma('query_only = ON')
  await clock.advance(60_000)
  expect((await app.message(id)).status).toBe('sent')
  expect(app.logs().split('a status of the sandbox could not be recorded yet')).toHaveLength(2)
  db?.pragma('query_only = OFF')
  while ((await app.message(id)).status !== 'read') await clock.advance(100)
  const events = await app.app.store.events.ofMessage((await app.message(id)).seq)
  expect(events.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered', 'message.read'])
})
