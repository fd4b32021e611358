import { beforeEach, describe, expect, test } from 'vitest'
import { fillIn, gapOf, requestsOf } from '../../server/slices/compat/fonnte/requests.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { samples } from '../support/samples.ts'

interface Said {
  status: boolean
  reason?: string
  detail?: string
  process?: string
  requestid?: number
  id?: string[]
  target?: string[]
  registered?: string[]
  not_registered?: string[]
  device_status?: string
}

let clock: TestClock
let app: TestApp
let key: string

beforeEach(async () => {
  clock = createTestClock()
  app = await startApp({ clock })
  key = await app.key({ sender: SANDBOX })
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: true } })
})

/** The key stands alone in the header, as Fonnte wants it. */
async function call(path: string, body: string | Buffer, type: string, token = key): Promise<Said> {
  const headers = { authorization: token, 'content-type': type }
  const { status, text } = await app.fetch(`/compat/fonnte/${path}`, { method: 'POST', headers, body })
  expect(status).toBe(200)
  return JSON.parse(text) as Said
}

const URL_ENCODED = 'application/x-www-form-urlencoded'
const encoded = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
const sendIt = (fields: Record<string, string>, token?: string) => call('send', encoded(fields), URL_ENCODED, token)

/** The array that PHP's curl is given as CURLOPT_POSTFIELDS. */
function phpForm(fields: Record<string, string>, file?: { name: string; bytes: Buffer }) {
  const boundary = '------------------------d74496d66958873e'
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const chunks: Uint8Array[] = [Buffer.from(parts.join(''))]
  if (file !== undefined) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
    chunks.push(Buffer.from(head), file.bytes, Buffer.from('\r\n'))
  }
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

/** The message that has this number. */
const messageOf = async (number = '0') => {
  const message = await app.app.store.messages.find({ seq: Number(number) })
  if (message === undefined) throw new Error(`no message ${number}`)
  return message
}
const bodies = (said: Said) => Promise.all((said.id ?? []).map(async (id) => (await messageOf(id)).body))

// Their forms only: public programs that call api.fonnte.com, found by that address in November 2026.
describe('ways in which public clients of Fonnte call', () => {
  /** What its documentation shows, and what clients read. */
  const SENT = ['detail', 'id', 'process', 'requestid', 'status', 'target']

  test('PHP with curl and an array of fields', async () => {
    const { body, type } = phpForm({ target: '08123456789', message: 'Pesanan siap', countryCode: '62' })
    const said = await call('send', body, type)
    expect(said).toMatchObject({ status: true, process: 'pending', target: ['628123456789'] })
    expect(said.detail).toContain('success! message in queue')
    expect(said.requestid).toBeTypeOf('number')
    expect(Object.keys(said).toSorted()).toEqual(SENT)
    expect(await bodies(said)).toEqual(['Pesanan siap'])
  })

  test('PHP with everything that Fonnte’s own example has', async () => {
    const example = {
      target: '08123456789|Fonnte|Admin,08123456780|Lili|User',
      message: 'test message to {name} as {var1}',
      url: 'https://shop.example/wa-logo.png',
      filename: 'filename',
      // Not now: nothing may be fetched here.
      schedule: String(Math.floor(clock.now() / 1000) + 3_600),
      typing: '',
      delay: '2',
      countryCode: '62',
      followup: '0',
    }
    const { body, type } = phpForm(example)
    const said = await call('send', body, type)
    expect(said.target).toEqual(['628123456789', '628123456780'])
    expect(await bodies(said)).toEqual(['test message to Fonnte as Admin', 'test message to Lili as User'])
    // What the example also has would be lost without a word.
    const buttons = phpForm({ ...example, buttonJSON: '{"message":"button","buttons":[{"id":"a","message":"b"}]}' })
    expect(await call('send', buttons.body, buttons.type)).toMatchObject({ status: false, reason: 'input invalid' })
  })

  test('PHP with http_build_query and two fields', async () => {
    expect(await sendIt({ target: '08123456789', message: 'Disetujui' })).toMatchObject({ status: true })
  })

  test('JavaScript with URLSearchParams, the country with its plus', async () => {
    const said = await sendIt({ target: '6281234567890', message: 'Halo & salam', countryCode: '+62' })
    expect(said).toMatchObject({ status: true, target: ['6281234567890'] })
    expect(await bodies(said)).toEqual(['Halo & salam'])
  })

  test('Python with requests: numbers and a Boolean as text', async () => {
    const fields = { target: '6281234567890', message: 'Halo', schedule: '0', typing: 'true', delay: '2' }
    const said = await sendIt({ ...fields, countryCode: '62' })
    expect(said).toMatchObject({ status: true, process: 'pending', id: [expect.any(String)] })
  })

  test('JSON with many numbers and a delay as text', async () => {
    const body = JSON.stringify({ target: '0811111111,0822222222,0833333333', message: 'Rapat jam 8', delay: '2' })
    const said = await call('send', body, 'application/json')
    expect(said.target).toEqual(['62811111111', '62822222222', '62833333333'])
    const due = await Promise.all((said.id ?? []).map(async (id) => (await messageOf(id)).dueAt - clock.now()))
    expect(due).toEqual([0, 2_000, 4_000])
  })

  test('JSON whose members are empty, as a Laravel app sends them that was not set up', async () => {
    const empty = { url: '', filename: '', schedule: '', delay: '', countryCode: '', followup: '', data: '', file: '' }
    const body = JSON.stringify({ target: '08123456789', message: 'Halo', ...empty })
    expect(await call('send', body, 'application/json')).toMatchObject({ status: true, target: ['628123456789'] })
  })

  test('validate, as a form, URL-encoded and as JSON', async () => {
    const asForm = phpForm({ target: '08123456789', countryCode: '62' })
    const answers = [
      await call('validate', asForm.body, asForm.type),
      await call('validate', encoded({ target: '08123456789', countryCode: '62' }), URL_ENCODED),
      await call('validate', JSON.stringify({ target: '08123456789' }), 'application/json'),
    ]
    for (const said of answers) {
      expect(said).toEqual({ status: true, registered: ['628123456789'], not_registered: [] })
    }
  })

  test('JSON that is none', async () => {
    expect(await call('send', '{"target":', 'application/json')).toMatchObject({
      status: false,
      reason: 'JSON format invalid',
    })
  })
})

test('names and variables stand behind each number', async () => {
  const said = await sendIt({ target: '0811111111|Ani|Admin, 0822222222|Budi', message: 'Halo {name}, kamu {var1}' })
  expect(await bodies(said)).toEqual(['Halo Ani, kamu Admin', 'Halo Budi, kamu {var1}'])
})

test('a schedule is kept, and a file by address or sent along', async () => {
  const at = Math.floor(clock.now() / 1000) + 3_600
  const planned = await sendIt({ target: '0811111111', message: 'Besok', schedule: String(at) })
  expect((await messageOf(planned.id?.[0])).dueAt).toBe(at * 1000)
  const file = { url: 'https://example.com/a.pdf', filename: 'Nota.pdf', schedule: String(at) }
  const byAddress = await sendIt({ target: '0811111111', message: 'Nota', ...file })
  expect(await messageOf(byAddress.id?.[0])).toMatchObject({
    file: 'https://example.com/a.pdf',
    filename: 'Nota.pdf',
  })
  const { body, type } = phpForm({ target: '0811111111', message: '' }, { name: 'nota.pdf', bytes: samples.pdf })
  const sentAlong = await call('send', body, type)
  expect((await messageOf(sentAlong.id?.[0])).file).toMatch(/^upload:/)
})

test.each<[string, Record<string, string>, string, string]>([
  ['no target', { message: 'x' }, 'target invalid', 'target'],
  ['a target that is none', { target: 'x', message: 'x' }, 'target invalid', 'x'],
  ['no message', { target: '0811111111' }, 'input invalid', 'message'],
  ['an address that is none', { target: '0811111111', message: 'x', url: 'nota.pdf' }, 'url invalid', 'url'],
  ['a file that is a text', { target: '0811111111', message: 'x', file: '@/nota.pdf' }, 'url invalid', 'file: '],
  ['a schedule that is none', { target: '0811111111', message: 'x', schedule: 'besok' }, 'input invalid', 'schedule'],
  ['a poll', { target: '0811111111', message: 'x', choices: 'a,b' }, 'input invalid', 'polls are not possible'],
  ['a follow-up', { target: '0811111111', message: 'x', followup: '60' }, 'input invalid', 'followup'],
  ['too many numbers', { target: '0811111111,'.repeat(501), message: 'x' }, 'target invalid', 'target'],
])('%s is a reason in the words of Fonnte, and nothing is sent', async (_what, fields, reason, detail) => {
  const said = await sendIt(fields)
  expect(said).toEqual({ status: false, reason, detail: expect.stringContaining(detail) })
  expect((await app.owner('/api/messages')).body.data).toEqual([])
})

test('of many numbers the good ones are taken, the others named', async () => {
  const said = await sendIt({ target: '0811111111,x,12', message: 'Halo' })
  expect(said).toMatchObject({ status: true, target: ['62811111111'] })
  expect(said.detail).toContain('x: target invalid; 12: target invalid')
})

test('a number of another country keeps it, also where nobody escaped its plus', async () => {
  await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
  for (const [target, recipients] of [
    ['target=%2B81312345678', ['81312345678']],
    ['target=0312345678&countryCode=81', ['81312345678']],
    ['target=+6581234567,+12025550123,+819012345678', ['6581234567', '12025550123', '819012345678']],
    ['target=+6281234567890,081234567891', ['6281234567890', '6281234567891']],
    // As a cell of a sheet has it, without its 0.
    ['target=+81234567890', ['6281234567890']],
    ['target=6581234567', ['626581234567']],
  ] as const) {
    const said = await call('send', `${target}&message=Halo`, URL_ENCODED)
    expect(said, target).toMatchObject({ status: true, target: recipients })
  }
  expect(await call('validate', 'target=%2B81312345678', URL_ENCODED)).toMatchObject({ registered: ['81312345678'] })
  const asIs = await call('send', 'target=81234567890&countryCode=0&message=Halo', URL_ENCODED)
  expect(asIs).toMatchObject({ status: false })
})

test('an empty target is said to be none', async () => {
  const none = { status: false, reason: 'target invalid', detail: expect.stringMatching(/target: is required\.?$/) }
  expect(await sendIt({ target: ' , ', message: 'Halo' })).toEqual(none)
  expect(await sendIt({ target: '', message: 'Halo' })).toEqual(none)
})

test('a wrong key, or none, is an invalid token', async () => {
  for (const token of ['nonsense', `${key}x`]) {
    expect(await sendIt({ target: '0811111111', message: 'x' }, token)).toMatchObject({
      status: false,
      reason: 'token invalid',
    })
  }
  const { text } = await app.fetch('/compat/fonnte/device', { method: 'POST' })
  const detail = 'Send your API key as "Authorization: Bearer <API_KEY>".'
  expect(JSON.parse(text)).toEqual({ status: false, reason: 'token invalid', detail })
  expect(await call('device', '', URL_ENCODED, `Bearer ${key}`)).toMatchObject({ status: true })
})

test('nothing is let in while the owner has it off', async () => {
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: false } })
  const { status } = await app.fetch('/compat/fonnte/send', { method: 'POST', headers: { authorization: key } })
  expect(status).toBe(404)
  expect((await app.owner('/api/messages')).body.data).toEqual([])
})

test('a key of the sandbox makes it a rehearsal: all is logged, nothing leaves', async () => {
  const said = await sendIt({ target: '081234560000', message: 'Coba' })
  await app.reached((await messageOf(said.id?.[0])).id, 'sent', 'delivered', 'read')
  expect(await call('device', '', URL_ENCODED)).toMatchObject({ status: true, device_status: 'connect' })
})

test.each<[string, string[], string]>([
  ['{name} {var1} {var2}', ['a', 'b', 'c'], 'a b c'],
  ['{name} {other}', [], '{name} {other}'],
  ['$& {name}', ['$1'], '$& $1'],
])('%j with %j is %j', (message, variables, text) => expect(fillIn(message, variables)).toBe(text))

test('a list of many targets lets the calls of others go on', async () => {
  let turns = 0
  let next = setImmediate(function turn() {
    turns += 1
    next = setImmediate(turn)
  })
  const target = Array.from({ length: 500 }, (_, n) => `62812345${10_000 + n}|Ani`).join(',')
  const { requests } = await requestsOf({ target, message: 'Halo {name}' }, { now: 0, random: () => 0 })
  clearImmediate(next)
  expect(requests).toHaveLength(500)
  expect(requests.at(-1)).toMatchObject({ phone: '+6281234510499', message: 'Halo Ani' })
  expect(turns).toBeGreaterThan(20)
})

test('a long text to many is taken no quicker than as many bodies', async () => {
  const home = await startApp()
  await home.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: true } })
  const target = Array.from({ length: 40 }, (_, n) => `62812345${14_000 + n}`).join(',')
  const headers = { authorization: await home.key({ sender: SANDBOX }), 'content-type': URL_ENCODED }
  const body = encoded({ target, message: 'x'.repeat(60_000) })
  const began = performance.now()
  const { text } = await home.fetch('/compat/fonnte/send', { method: 'POST', headers, body })
  expect((JSON.parse(text) as Said).id).toHaveLength(40)
  // 2.4 MB, of which the first MiB may come at once, at 4 MiB a second. It is never sooner.
  expect(performance.now() - began).toBeGreaterThan(300)
})

test('a message that its variables would make a gigabyte is refused before it is made', async () => {
  const target = `0812-3456-7890|${'x'.repeat(90_000)}`
  const { status, reason, detail } = await sendIt({ target, message: '{name}'.repeat(16_000) })
  expect([status, reason]).toEqual([false, 'input invalid'])
  expect(detail).toContain('message: must have at most')
  expect(app.logs()).not.toContain('unexpected error')
  // What is long only before it is filled in is none.
  expect(fillIn('{var100}'.repeat(12_000), Array(101).fill(''))).toBe('')
})

test.each<[string | undefined, number]>([
  ['5', 5],
  ['5-10', 7.5],
  ['10-5', 10],
  ['soon', 0],
  [undefined, 0],
])('a delay of %j is a gap of %d s', (delay, gap) => expect(gapOf(delay, () => 0.5)).toBe(gap))

test('what was accepted before the disk was full is said, so that nobody sends it again', async () => {
  const home = await startApp()
  await home.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: true } })
  await home.disk.refuse({ event: 'INSERT', table: 'messages', when: "NEW.recipient = '62822222222'" })
  const { text } = await home.fetch('/compat/fonnte/send', {
    method: 'POST',
    headers: { authorization: await home.key({ sender: SANDBOX }), 'content-type': 'application/json' },
    body: { target: '0811111111,0822222222,0833333333', message: 'Halo' },
  })
  const said = JSON.parse(text) as Said
  expect(said).toMatchObject({ status: true, target: ['62811111111', '62833333333'] })
  expect(said.detail).toContain('62822222222')
  expect(said.detail).not.toContain('no room')
})

test('a number that nobody looked up counts as registered, also where something else is known of it', async () => {
  const senderId = app.app.store.senders.byCode(SANDBOX)?.id ?? 0
  await app.app.store.contacts.change(senderId, '62811111111', { timer: 3600, setAt: 1 })
  await app.app.store.contacts.change(senderId, '62822222222', { jid: null, checkedAt: clock.now() })
  expect(await call('validate', encoded({ target: '0811111111,0822222222' }), URL_ENCODED)).toEqual({
    status: true,
    registered: ['62811111111'],
    not_registered: ['62822222222'],
  })
})

test('wrong numbers in many entries are too many before a sentence is made of each', async () => {
  const entry = { target: '1,'.repeat(300), message: 'x' }
  const data = JSON.stringify([{ target: '0811111111', message: 'x' }, entry, entry])
  expect(await sendIt({ data })).toMatchObject({ status: false, reason: 'target invalid' })
})
