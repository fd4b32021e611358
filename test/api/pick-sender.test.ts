import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, SANDBOX, startApp, type TestApp } from '../support/app.ts'

const message = { phone: '6281234567890', message: 'Halo', delay: 3600 }

const expectCode = (answer: Answer<unknown>, status: number, code: string) => {
  expect(answer.status, answer.text).toBe(status)
  expect(answer.body.error.code).toBe(code)
}

async function withSenders(count: number): Promise<{ app: TestApp; codes: string[]; key: string }> {
  const app = await startApp()
  const codes: string[] = []
  for (let i = 0; i < count; i += 1) codes.push(await app.sender('linked'))
  return { app, codes, key: await app.key() }
}

describe('a global key', () => {
  test('without a linked number gets advice to link one or to name the sandbox', async () => {
    const { app, key } = await withSenders(0)
    const answer = await app.call(key, '/send', message)
    expectCode(answer, 400, 'sender_code_required')
    expect(answer.body.message).toContain(SANDBOX)
    expect((await app.call(key, '/send', { ...message, sender_code: SANDBOX })).status).toBe(200)
  })

  test('may leave the sender out while there is exactly one; the sandbox does not count', async () => {
    const { app, key, codes } = await withSenders(1)
    const answer = await app.call(key, '/send', message)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data.sender_code).toBe(codes[0])
  })

  test('must choose among several', async () => {
    const { app, key, codes } = await withSenders(2)
    expectCode(await app.call(key, '/send', message), 400, 'sender_code_required')
    const answer = await app.call(key, '/send', { ...message, sender_code: codes[1] })
    expect(answer.body.data.sender_code).toBe(codes[1])
  })

  test('naming a sender that does not exist, or not any more, is refused with that reason', async () => {
    const { app, key, codes } = await withSenders(1)
    expectCode(await app.call(key, '/send', { ...message, sender_code: 'SND-NOBODY' }), 404, 'sender_not_found')
    expectCode(await app.call(key, '/send', { ...message, sender_code: '__proto__' }), 404, 'sender_not_found')
    await app.owner(`/api/senders/${codes[0]}`, { method: 'DELETE' })
    expectCode(await app.call(key, '/send', { ...message, sender_code: codes[0] }), 404, 'sender_not_found')
  })
})

describe('a device key', () => {
  let app: TestApp
  let own: string
  let other: string
  let key: string
  beforeAll(async () => {
    app = await startApp({ lives: 'file' })
    own = await app.sender('linked')
    other = await app.sender('linked')
    key = await app.key({ sender: own })
  })

  test('sends through its own sender, named or not', async () => {
    expect((await app.call(key, '/send', message)).body.data.sender_code).toBe(own)
    expect((await app.call(key, '/send', { ...message, sender_code: own })).body.data.sender_code).toBe(own)
  })

  test.each([
    ['another sender', () => other],
    ['the sandbox', () => SANDBOX],
    ['nobody', () => 'SND-NOBODY'],
  ])('may not send through %s', async (_who, code) => {
    expectCode(await app.call(key, '/send', { ...message, sender_code: code() }), 403, 'sender_not_allowed')
  })

  test('of the sandbox needs no name', async () => {
    const sandboxKey = await app.key({ sender: SANDBOX })
    expect((await app.call(sandboxKey, '/send', message)).body.data.sender_code).toBe(SANDBOX)
  })

  test('outlives its sender without reaching another', async () => {
    const code = await app.sender('linked')
    const orphan = await app.key({ sender: code })
    await app.owner(`/api/senders/${code}`, { method: 'DELETE' })
    expectCode(await app.call(orphan, '/send', message), 404, 'sender_not_found')
  })
})

test('a sender of the other kind is no way for /send', async () => {
  const app = await startApp()
  const settings = { name: 'Official', pacing: { min_seconds: 0, max_seconds: 0 }, daily_cap: null, quiet_hours: null }
  await app.app.store.senders.add({
    code: 'SND-META22',
    kind: 'official',
    state: 'connected',
    official: { phone_number_id: '1', waba_id: '2' },
    createdAt: 0,
    settings: { ...settings, country_code: null, second_road: null },
  })
  const key = await app.key()
  expectCode(await app.call(key, '/send', { ...message, sender_code: 'SND-META22' }), 422, 'sender_kind_mismatch')
})

test('a number that was never linked queues too', async () => {
  const { app, key } = await withSenders(1)
  const answer = await app.call<{ id: string }>(key, '/send', { ...message, delay: 0 })
  expect(answer.status).toBe(200)
  expect((await app.message(answer.body.data.id)).status).toBe('queued')
})

test('the owner sends without a key', async () => {
  const app = await startApp()
  expect((await app.owner('/send', { body: { ...message, sender_code: SANDBOX } })).status).toBe(200)
})

test('a program that can name no sender is told of its key where it speaks for several', async () => {
  const app = await startApp()
  await app.owner('/api/settings', {
    method: 'PATCH',
    body: { compat_fonnte: true, compat_panel: true, compat_wablas: true },
  })
  const headers = { authorization: await app.key(), 'content-type': 'application/json' }
  for (const count of [0, 2]) {
    for (let n = 0; n < count; n += 1) await app.sender('linked')
    for (const [path, member] of [
      ['fonnte/send', 'target'],
      ['panel/send-message', 'number'],
      ['wablas/api/send-message', 'phone'],
    ] as const) {
      const body = JSON.stringify({ [member]: '6281234567890', message: 'Halo' })
      const { text } = await app.fetch(`/compat/${path}`, { method: 'POST', headers, body })
      expect(text, path).toContain('use a key for one sender')
      expect(text, path).not.toContain('sender_code')
    }
  }
})
