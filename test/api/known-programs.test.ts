import { describe, expect, test } from 'vitest'
import type { Concern } from '../../server/contract/concerns.ts'
import type { Overview } from '../../server/contract/operation.ts'
import type { Settings } from '../../server/contract/settings.ts'
import { DAY, HOUR } from '../../server/lib/clock.ts'
import type { KnownProgram, RefusedCall } from '../../server/slices/refused-calls/contract.ts'
import { describeConcern } from '../../server/words/concern-text.ts'
import { en } from '../../server/words/en/index.ts'
import { id as indonesian } from '../../server/words/id/index.ts'
import { type Init, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'

const programsOf = async (app: TestApp) => (await app.owner<KnownProgram[]>('/api/refused-calls/programs')).body.data
const ABOUT_PROGRAMS = ['calls_refused', 'program_of_another_gateway', 'program_nearly_right']

async function concernsOf(app: TestApp): Promise<Concern[]> {
  // So that the calls of this second are written.
  await programsOf(app)
  const { concerns } = (await app.owner<Overview>('/api/overview')).body.data
  return concerns.filter(({ code }) => ABOUT_PROGRAMS.includes(code))
}

const decide = (app: TestApp, name: string, decision: string) =>
  app.owner<KnownProgram>(`/api/refused-calls/programs/${encodeURIComponent(name)}`, { body: { decision } })

const WAHA: [path: string, init: Init] = [
  '/api/sendText',
  {
    headers: { 'x-api-key': 'key-of-my-waha-1234' },
    body: { session: 'default', chatId: '6281@c.us', text: 'rahasia' },
  },
]
const PANEL: [path: string, init: Init] = [
  '/send-message?api_key=key-of-my-panel&sender=628&number=628&message=rahasia',
  {},
]

test('a program that calls as it would call WAHA is one choice on Home, and no other concern', async () => {
  const app = await startApp()
  for (let n = 0; n < 11; n += 1) await app.fetch(...WAHA)
  await app.fetch('/api/sessions', { headers: { 'x-api-key': 'key-of-my-waha-1234' } })
  const concerns = await concernsOf(app)
  expect(concerns).toMatchObject([
    {
      id: 'program/WAHA',
      code: 'program_of_another_gateway',
      weight: 'choice',
      count: 12,
      detail: 'WAHA',
      page: '/?program=WAHA',
    },
  ])
  const [concern] = concerns
  if (concern === undefined) return
  const told = describeConcern(concern, en, Date.now())
  expect(told.title).toMatch(/^A program on this PC calls as it would call WAHA \(12 times since .+\)\.$/)
  expect(describeConcern(concern, indonesian, Date.now()).title).toMatch(
    /seperti memanggil WAHA \(12 kali sejak .+\)\.$/,
  )
  expect((await app.fetch('/health')).text).not.toContain('WAHA')
  const { data } = (await app.owner<RefusedCall[]>('/api/refused-calls')).body
  expect(data).toHaveLength(12)
  expect(new Set(data.map((each) => each.looks_like))).toEqual(new Set(['WAHA']))
  expect(data[0]).toMatchObject({ path: '/api/sessions', code: 'owner_only', hint: '1234' })
  const rows = JSON.stringify(await app.disk.rows<object>('SELECT * FROM refused_calls'))
  expect(rows + app.logs()).not.toMatch(/rahasia|key-of-my/)
})

test.each<[name: string, path: string, init: Init]>([
  ['Fonnte', '/send', { headers: { authorization: 'token-of-my-fonnte' }, body: { target: '0812', message: 'hai' } }],
  [
    'Fonnte',
    '/send',
    {
      headers: { authorization: 'token-of-my-fonnte', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'target=0812&message=hai',
    },
  ],
  [
    'Wablas',
    '/api/send-message',
    { headers: { authorization: 'token.secret' }, body: { phone: '0812', message: 'hai' } },
  ],
  ['MPWA', ...PANEL],
  [
    'Cloud API',
    '/v21.0/123456/messages',
    { headers: { authorization: 'Bearer EAAG0123456789' }, body: { messaging_product: 'whatsapp', to: '62' } },
  ],
  [
    'Twilio',
    `/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`,
    { method: 'POST', headers: { authorization: 'Basic abc' } },
  ],
  ['Kurir', '/api/send', { headers: { authorization: 'Bearer x' }, body: { phone: '0812', message: 'hai' } }],
  ['Kurir', '/send?phone=0812&message=hai', {}],
])('over HTTP: %s, %s', async (name, path, init) => {
  const app = await startApp()
  await app.fetch(path, init)
  const [program] = await programsOf(app)
  expect(program).toMatchObject({ name, times: 1, looks_like: name })
  const [concern] = await concernsOf(app)
  expect(concern?.code).toBe(name === 'Kurir' ? 'program_nearly_right' : 'program_of_another_gateway')
  const action = { Kurir: 'see_why', Twilio: 'what_to_do' }[name] ?? 'let_in'
  expect(concern?.action).toEqual(action)
})

test('a key of ours with members of others is told too, and a right call with a wrong key is not', async () => {
  const app = await startApp()
  const key = await app.key()
  await app.call(key, '/send', { target: '0812', message: 'hai' })
  expect((await programsOf(app)).map(({ name, code }) => [name, code])).toEqual([['Fonnte', 'invalid_request']])
  await app.call(key, '/send', { sender_code: SANDBOX, message: 'hai' })
  await app.call('kurir_g_wrong', '/send', { phone: '0812', message: 'hai' })
  await app.call(key, '/send/', { sender_code: SANDBOX, phone: '6281234567890', message: 'hai' })
  expect((await programsOf(app)).map(({ name }) => name)).toEqual(['Fonnte'])
})

test('let in: its mouth is on, the row goes, and comes back where the program calls on as before', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  await app.fetch(...PANEL)
  expect(await programsOf(app)).toMatchObject([
    { name: 'MPWA', mouth: { path: '/compat/panel/send-message', on: false } },
  ])
  const answer = await decide(app, 'MPWA', 'let_in')
  expect([answer.status, answer.body.data.mouth]).toEqual([200, { path: '/compat/panel/send-message', on: true }])
  expect((await app.owner<Settings>('/api/settings')).body.data.compat_panel).toBe(true)
  for (let n = 0; n < 6; n += 1) await app.fetch(...PANEL)
  expect(await concernsOf(app)).toEqual([])
  const key = await app.key({ sender: SANDBOX })
  const sent = await app.fetch(`/compat/panel/send-message?api_key=${key}&number=6281234567890&message=hai`)
  expect(sent.status, sent.text).toBe(200)
  await clock.advance(DAY)
  expect(await concernsOf(app)).toEqual([])
  await app.fetch(...PANEL)
  expect(await concernsOf(app)).toMatchObject([{ id: 'program/MPWA', count: 1 }])
})

test('left out: nothing is said of it any more, also after a restart', async () => {
  const app = await startApp()
  await app.fetch(...WAHA)
  expect((await decide(app, 'WAHA', 'dismiss')).status).toBe(200)
  expect(await concernsOf(app)).toEqual([])
  await app.restart()
  for (let n = 0; n < 9; n += 1) await app.fetch(...WAHA)
  await app.fetch(...PANEL)
  expect((await concernsOf(app)).map(({ id }) => id)).toEqual(['program/MPWA'])
  expect((await app.owner<Settings>('/api/settings')).body.data).toMatchObject({ compat_panel: false })
})

test('it is spoken of for a day after its last call', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  await app.fetch(...WAHA)
  await clock.advance(23 * HOUR)
  expect(await concernsOf(app)).toHaveLength(1)
  await clock.advance(HOUR)
  expect(await concernsOf(app)).toEqual([])
})

test('a program that is in makes no choice by what Kurir refuses it there', async () => {
  const app = await startApp()
  const key = await app.key({ sender: SANDBOX })
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_waha: true } })
  const headers = { 'x-api-key': key }
  for (const path of ['/compat/waha/api/default/chats', '/compat/waha/api/sendImage'])
    await app.fetch(path, { headers })
  expect(await concernsOf(app)).toEqual([])
  const { data } = (await app.owner<RefusedCall[]>('/api/refused-calls')).body
  expect(data.map(({ code, looks_like }) => [code, looks_like])).toEqual([
    ['method_not_allowed', null],
    ['not_found', null],
  ])
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_waha: false } })
  await app.fetch('/compat/waha/api/sendText', { headers })
  expect(await concernsOf(app)).toMatchObject([{ id: 'program/WAHA', count: 1 }])
})

test('a gateway of which no program calls cannot be decided about', async () => {
  const app = await startApp()
  const answer = await decide(app, 'WAHA', 'let_in')
  expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
})

describe('never makes a choice:', () => {
  test.each<[who: string, headers: Record<string, string>]>([
    ['a tunnel or proxy of this PC', { 'x-forwarded-for': '203.0.113.9' }],
    ['another name of this PC', { host: 'kurir.local' }],
    ['a web page', { origin: 'https://elsewhere.example' }],
    ['a web page that hides its address', { 'sec-fetch-site': 'cross-site' }],
    ['a person who types an address', { accept: 'text/html' }],
  ])('%s', async (_who, headers) => {
    const app = await startApp()
    await app.owner('/api/settings', { method: 'PATCH', body: { allowed_hosts: ['kurir.local'] } })
    const [path, init] = WAHA
    for (let n = 0; n < 6; n += 1) await app.fetch(path, { ...init, headers: { ...init.headers, ...headers } })
    expect(await concernsOf(app)).toEqual([])
  })

  test('what tries many addresses', async () => {
    const app = await startApp()
    for (let n = 0; n < 30; n += 1) {
      await app.fetch(`/${'a'.repeat(n + 1)}`)
      if (n % 10 === 5) await app.fetch(...WAHA)
    }
    expect(await concernsOf(app)).toEqual([])
  })
})
