import { expect, test } from 'vitest'
import { SANDBOX, startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'

test('receipts of a sandbox that fall into a full disk come when there is room again', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX }
  const { id } = (await app.owner<{ id: string }>('/send', { body })).body.data
  await app.reached(id, 'sent')
  await app.disk.full(true)
  await clock.advance(60_000)
  expect((await app.message(id)).status).toBe('sent')
  expect(app.logs().split('a status of the sandbox could not be recorded yet')).toHaveLength(2)
  await app.disk.full(false)
  while ((await app.message(id)).status !== 'read') await clock.advance(100)
  const events = await app.app.store.events.ofMessage((await app.message(id)).seq)
  expect(events.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered', 'message.read'])
})
