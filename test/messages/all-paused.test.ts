import { expect, test } from 'vitest'
import type { SenderView } from '../../server/contract/senders.ts'
import { areAllPaused } from '../../server/messages/gates.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'

const view = async (app: TestApp, code: string) => (await app.owner<SenderView>(`/api/senders/${code}`)).body.data

async function send(app: TestApp, code: string): Promise<string> {
  const body = { phone: '6281234567890', message: 'Halo', sender_code: code }
  return (await app.owner<{ id: string }>('/send', { body })).body.data.id
}

test('all paused: nothing leaves, also after a restart; what was paused one by one stays paused afterwards', async () => {
  const app = await startApp()
  const other = await app.sender('sandbox')
  await app.owner(`/api/senders/${other}/pause`, { method: 'POST' })
  await app.app.setAllPaused(true)
  expect(areAllPaused(app.app.store)).toBe(true)
  const ids = [await send(app, SANDBOX), await send(app, other)]
  for (const code of [SANDBOX, other]) {
    expect(await view(app, code)).toMatchObject({ state: 'paused', held_by: 'paused', waiting: 1 })
  }
  expect((await view(app, SANDBOX)).paused, 'this one was not paused by itself').toBe(false)

  await app.restart()
  expect(areAllPaused(app.app.store)).toBe(true)
  expect(await Promise.all(ids.map(async (id) => (await app.message(id)).status))).toEqual(['queued', 'queued'])

  await app.app.setAllPaused(false)
  await app.reached(ids[0] ?? '', 'read')
  expect(await view(app, SANDBOX)).toMatchObject({ state: 'connected' })
  expect(await view(app, other)).toMatchObject({ state: 'paused', paused: true, waiting: 1 })
  expect((await app.message(ids[1] ?? '')).status).toBe('queued')
})

test('while all are paused templates are refused, and resuming one sender says what is still missing', async () => {
  const app = await startApp()
  await app.app.setAllPaused(true)
  const body = { phone: '6281234567890', template_name: 'invoice', sender_code: SANDBOX }
  const refused = await app.owner('/waba/send-template', { body })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict'])
  expect(refused.body.message).toMatch(/All senders are paused/)
  const resumed = await app.owner<SenderView>(`/api/senders/${SANDBOX}/resume`, { method: 'POST' })
  expect(resumed.body.message).toMatch(/all senders are paused/)
  expect(resumed.body.data.state).toBe('paused')
  await app.app.setAllPaused(false)
  expect((await app.owner('/waba/send-template', { body })).status).toBe(200)
})
