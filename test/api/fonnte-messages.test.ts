import { beforeEach, describe, expect, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'

let clock: TestClock
let app: TestApp
let key: string

beforeEach(async () => {
  clock = createTestClock()
  app = await startApp({ clock })
  key = await app.key({ sender: SANDBOX })
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: true } })
})

interface Said {
  status: boolean
  id?: string[]
  [member: string]: unknown
}

async function call(path: string, members: Record<string, unknown> = {}, token = key): Promise<Said> {
  const headers = { authorization: token, 'content-type': 'application/json' }
  const { status, text } = await app.fetch(`/compat/fonnte/${path}`, { method: 'POST', headers, body: members })
  expect(status).toBe(200)
  return JSON.parse(text)
}

const later = () => String(Math.floor(clock.now() / 1000) + 3_600)
const idOf = async (more: Record<string, unknown> = {}): Promise<string> =>
  (await call('send', { target: '081234560000', message: 'Halo', ...more })).id?.[0] ?? ''
const messageOf = (id: string) => app.app.store.messages.find({ seq: Number(id) })

describe('a message by its number', () => {
  test('is waiting, then sent; its number is whole and its answer has it as one', async () => {
    const id = await idOf({ schedule: later() })
    expect(id).toMatch(/^[1-9]\d*$/)
    expect(await call('status', { id })).toEqual({ status: true, id: Number(id), message_status: 'waiting' })
    const now = await idOf()
    await app.reached((await messageOf(now))?.id ?? '', 'sent', 'delivered', 'read')
    expect(await call('status', { id: Number(now) })).toMatchObject({ message_status: 'sent' })
    const nobody = await idOf({ target: '081234560001' })
    await app.reached((await messageOf(nobody))?.id ?? '', 'failed')
    expect(await call('status', { id: nobody })).toMatchObject({ message_status: 'invalid' })
  })

  test('is deleted while it waits, and not once it has left', async () => {
    const id = await idOf({ schedule: later() })
    expect(await call('delete-message', { id })).toEqual({
      status: true,
      detail: `message ${id} successfully deleted`,
    })
    expect(await messageOf(id)).toMatchObject({ status: 'cancelled' })
    expect(await call('status', { id })).toMatchObject({ message_status: 'expired' })
    expect(await call('delete-message', { id })).toEqual({
      status: false,
      reason: 'cannot delete message with status expired',
    })
  })

  test('is moved to another time while it waits', async () => {
    const id = await idOf({ schedule: later() })
    const schedule = Math.floor(clock.now() / 1000) + 7_200
    const moved = await call('reset-message', { id: Number(id), schedule, byschedule: false })
    expect(moved).toEqual({ status: true, detail: `message ${id} successfully rescheduled` })
    expect(await messageOf(id)).toMatchObject({ dueAt: schedule * 1000 })
    await call('reset-message', { id, delay: '60' })
    expect((await messageOf(id))?.dueAt).toBe(clock.now() + 60_000)
    for (const [members, words] of [
      [{ id, byschedule: true, schedule }, 'byschedule'],
      [{ id }, 'schedule'],
      [{ id, schedule: 'besok' }, 'schedule'],
    ] as const) {
      const refused = { status: false, reason: 'input invalid', detail: expect.stringContaining(words) }
      expect(await call('reset-message', members)).toEqual(refused)
    }
    await call('delete-message', { id })
    expect(await call('reset-message', { id, schedule })).toMatchObject({
      reason: 'cannot reset message with status expired',
    })
  })

  test('is nobody’s business with the key of another sender, and none is named', async () => {
    const id = await idOf({ schedule: later() })
    const other = await app.key({ sender: await app.sender('sandbox') })
    for (const [path, reason] of [
      ['status', 'invalid id'],
      ['delete-message', 'invalid message id'],
      ['reset-message', 'invalid message id'],
    ] as const) {
      for (const [wrong, token] of [
        [id, other],
        ['999999', key],
        ['x', key],
      ] as const) {
        expect(await call(path, { id: wrong, delay: '5' }, token)).toEqual({ status: false, reason })
      }
      expect(await call(path)).toEqual({ status: false, reason: 'id required' })
    }
    expect(await messageOf(id)).toMatchObject({ status: 'queued' })
  })
})

describe('several messages in one call', () => {
  const DATA = [
    { target: '081111111111|Ani', message: 'Halo {name}', delay: '5' },
    { target: '082222222222,083333333333', message: 'Dua', delay: '10' },
    { target: '84444444444', message: 'Tiga', url: 'https://shop.example/a.pdf', filename: 'a.pdf' },
  ]
  const found = (said: Said) => Promise.all((said.id ?? []).map((id) => messageOf(id)))

  test.each<[string, unknown]>([
    ['as a text', JSON.stringify(DATA)],
    ['as a list', DATA],
  ])('%s: each entry with its own text, and its wait before it', async (_how, data) => {
    const said = await call('send', { data, schedule: later() })
    expect(said).toMatchObject({ status: true, process: 'waiting' })
    const sent = await found(said)
    expect(sent.map((message) => [message?.recipient, message?.body])).toEqual([
      ['6281111111111', 'Halo Ani'],
      ['6282222222222', 'Dua'],
      ['6283333333333', 'Dua'],
      ['6284444444444', 'Tiga'],
    ])
    const [first = 0] = sent.map((message) => message?.dueAt ?? 0)
    expect(sent.map((message) => (message?.dueAt ?? 0) - first)).toEqual([0, 10_000, 20_000, 20_000])
    expect(sent.at(-1)).toMatchObject({ file: 'https://shop.example/a.pdf', filename: 'a.pdf' })
  })

  test.each<[string, unknown, string]>([
    ['no JSON', '[{', 'JSON format invalid'],
    ['no list', '{"target":"0811111111"}', 'JSON format invalid'],
    ['an empty list', '[]', 'JSON format invalid'],
    ['an entry that is none', '[7]', 'JSON format invalid'],
    ['an entry without a number', '[{"message":"x"}]', 'target invalid'],
    ['too much', JSON.stringify(Array(501).fill({ target: '0811111111', message: 'x' })), 'JSON format invalid'],
    [
      'a poll in one',
      '[{"target":"0811111111","message":"x"},{"target":"0811111111","choices":"a,b"}]',
      'input invalid',
    ],
  ])('%s is refused, and nothing is sent', async (_what, data, reason) => {
    expect(await call('send', { data })).toMatchObject({ status: false, reason })
    expect((await app.owner('/api/messages')).body.data).toEqual([])
  })

  test('a list has at most 500 targets in all', async () => {
    const data = Array(10).fill({ target: '0811111111,'.repeat(51), message: 'x' })
    expect(await call('send', { data })).toMatchObject({ status: false, reason: 'target invalid' })
  })
})

test.each(['choices', 'select', 'pollname', 'location', 'buttonJSON', 'templateJSON', 'listJSON'])(
  '%s is refused in Fonnte’s form, and the text alone is not sent',
  async (member) => {
    const said = await call('send', { target: '0811111111', message: 'Halo', [member]: '{"a":1}' })
    expect(said).toEqual({ status: false, reason: 'input invalid', detail: expect.stringContaining(member) })
    expect((await app.owner('/api/messages')).body.data).toEqual([])
    expect((await call('send', { target: '0811111111', message: 'Halo', [member]: '' })).status).toBe(true)
  },
)

test('decoration has no effect; what would be quoted is told, here and on the message’s page', async () => {
  const said = await call('send', {
    ...{ target: '0811111111', message: 'Halo', inboxid: 77, followup: 0 },
    ...{ typing: true, duration: 3, preview: false, connectOnly: true, sequence: true },
  })
  expect(said.detail).toContain('inboxid had no effect')
  expect(await messageOf(said.id?.[0] ?? '')).toMatchObject({ unknownMembers: ['inboxid'] })
})

test('groups are listed, and a target alone or among numbers; one that is none is refused', async () => {
  expect(await call('fetch-group')).toEqual({ status: true, detail: 'update whatsapp group list' })
  const listed = await call('get-whatsapp-group')
  expect(listed).toMatchObject({ status: true, detail: 'success get whatsapp group list' })
  const [group] = listed.data as { id: string; name: string }[]
  expect(group).toEqual({ id: expect.stringMatching(/@g\.us$/), name: expect.any(String) })
  const said = await call('send', { target: `${group?.id},0811111111`, message: 'Rapat jam 8' })
  expect(said).toMatchObject({ status: true, target: [group?.id, '62811111111'] })
  expect(await messageOf(said.id?.[0] ?? '')).toMatchObject({ recipient: group?.id, body: 'Rapat jam 8' })
  const none = await call('send', { target: 'dapur@g.us', message: 'Halo' })
  expect(none).toMatchObject({ status: false, reason: 'target invalid' })
})

test.each<[string, string | undefined, string]>([
  ['0812 3456-789', undefined, '628123456789'],
  ['8123456789', undefined, '628123456789'],
  ['628123456789@c.us', undefined, '628123456789'],
  ['+1 415 555 2671', undefined, '14155552671'],
  ['14155552671', '1', '14155552671'],
  ['4155552671', '1', '14155552671'],
  ['60123456789', '0', '60123456789'],
])('%j with the country %j is written to as %s, as Fonnte does', async (target, countryCode, phone) => {
  expect(await call('send', { target, message: 'Halo', ...(countryCode && { countryCode }) })).toMatchObject({
    target: [phone],
  })
})

test('devices: those that the key reaches, and never a key', async () => {
  const second = await app.sender('sandbox')
  const answer = await call('get-devices')
  expect(answer).toMatchObject({ status: true, connected: 1, devices: 1, type: 'device' })
  expect(answer.data).toEqual([
    {
      device: SANDBOX,
      name: expect.any(String),
      status: 'connect',
      package: 'Kurir',
      quota: '999999',
      expired: '4070908800',
      autoread: 'off',
      token: '',
    },
  ])
  const all = (await call('get-devices', {}, await app.key())).data as { device: string }[]
  expect(all.map(({ device }) => device).toSorted()).toEqual([SANDBOX, second].toSorted())
})

test.each(['qr', 'disconnect', 'typing', 'add-device', 'update-device'])('%s is refused in its form', async (path) => {
  expect(await call(path)).toEqual({ status: false, reason: expect.stringContaining(`${path} is not possible`) })
  expect(await call(path, {}, 'nonsense')).toMatchObject({ status: false, reason: 'token invalid' })
})

test('an asking for a token by GET is answered in its form', async () => {
  const { status, text } = await app.fetch('/compat/fonnte/validate', { headers: { authorization: key } })
  expect([status, JSON.parse(text)]).toEqual([200, { status: false, reason: expect.stringContaining('POST') }])
})
