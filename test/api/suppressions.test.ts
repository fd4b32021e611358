import { describe, expect, test } from 'vitest'
import { keywordIn } from '../../server/senders/customers.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { startWithCallbacks } from '../support/callbacks.ts'
import { startReceiver } from '../support/receiver.ts'
import { workbook } from '../support/tables.ts'

const CUSTOMER = '6281234567890'

interface View {
  phone: string
  scope: string
  source: string
  sender_code: string | null
}

const entries = async (app: TestApp, key: string) => (await app.call<View[]>(key, '/suppressions')).body.data
interface Checked {
  count: number
  first: object[]
  refused: object[]
  refused_count: number
}
const checkTable = (app: TestApp, table: string) =>
  app.owner<Checked>('/api/suppressions/import/check', { body: table, headers: { 'content-type': 'text/csv' } })
const importTable = (app: TestApp, table: string | Buffer) =>
  app.owner<{ added: number; refused: object[]; refused_count: number }>('/api/suppressions/import', {
    body: table,
    headers: { 'content-type': 'text/csv' },
  })
const send = (app: TestApp, key: string, more: object = {}) =>
  app.call<{ id: string }>(key, '/send', { phone: CUSTOMER, message: 'Promo', sender_code: SANDBOX, ...more })

describe('the list', () => {
  test('is written, read and undone; a second time is no news', async () => {
    const app = await startApp()
    const key = await app.key()
    const body = { phone: '+62 812-3456-7890', scope: 'marketing' }
    expect((await app.call<View>(key, '/suppressions', body)).body.data).toMatchObject({
      phone: CUSTOMER,
      scope: 'marketing',
      source: 'api',
      sender_code: null,
    })
    await app.call(key, '/suppressions', body)
    expect(await entries(app, key)).toHaveLength(1)
    const remove = () =>
      app.call<{ removed: number }>(key, `/suppressions?phone=${CUSTOMER}`, undefined, { method: 'DELETE' })
    expect((await remove()).body.data.removed).toBe(1)
    expect((await remove()).body.data.removed).toBe(0)
    expect(await entries(app, key)).toEqual([])
  })

  test('a device key speaks for its own sender alone, and sees what counts for it', async () => {
    const app = await startApp()
    const other = await app.sender('sandbox')
    const [all, device, foreign] = [
      await app.key(),
      await app.key({ sender: SANDBOX }),
      await app.key({ sender: other }),
    ]
    await app.call(device, '/suppressions', { phone: CUSTOMER })
    await app.call(all, '/suppressions', { phone: '6281111111111', scope: 'all' })
    expect((await entries(app, device)).map(({ phone, sender_code }) => [phone, sender_code])).toEqual([
      ['6281111111111', null],
      [CUSTOMER, SANDBOX],
    ])
    expect((await entries(app, foreign)).map(({ phone }) => phone)).toEqual(['6281111111111'])
    const named = await app.call(foreign, '/suppressions', { phone: CUSTOMER, sender_code: SANDBOX })
    expect(named.body.error.code).toBe('sender_not_allowed')
  })

  test('a device key whose sender was deleted speaks for nobody, least of all for every sender', async () => {
    const app = await startApp()
    const other = await app.sender('sandbox')
    const [all, device] = [await app.key(), await app.key({ sender: other })]
    await app.call(all, '/suppressions', { phone: CUSTOMER })
    await app.owner(`/api/senders/${other}`, { method: 'DELETE' })
    const { id } = (await send(app, all, { phone: '6281111111111', delay: 60, purpose: 'marketing' })).body.data
    const remove = app.call(device, `/suppressions?phone=${CUSTOMER}`, undefined, { method: 'DELETE' })
    const answers = await Promise.all([
      app.call(device, '/suppressions', { phone: '6281111111111' }),
      app.call(device, '/suppressions'),
      remove,
    ])
    expect(answers.map(({ body }) => body.error?.code)).toEqual(Array(3).fill('sender_not_found'))
    expect((await entries(app, all)).map(({ phone }) => phone)).toEqual([CUSTOMER])
    expect((await app.message(id)).status).toBe('queued')
  })

  test('the answer is what counts from now on, which may be more than was asked for', async () => {
    const app = await startApp()
    const key = await app.key()
    await app.owner('/suppressions', { body: { phone: CUSTOMER, scope: 'all' } })
    await app.call(key, '/suppressions', { phone: CUSTOMER, sender_code: SANDBOX })
    const { data } = (await app.call<View>(key, '/suppressions', { phone: CUSTOMER, scope: 'marketing' })).body
    expect(data).toMatchObject({ scope: 'all', source: 'owner', sender_code: null })
  })

  test('a name that is not known undoes nothing', async () => {
    const app = await startApp()
    const key = await app.key()
    await app.call(key, '/suppressions', { phone: CUSTOMER })
    const answer = await app.call(key, `/suppressions?phone=${CUSTOMER}&sender=${SANDBOX}`, undefined, {
      method: 'DELETE',
    })
    expect(answer.body.error.details).toMatchObject([{ field: 'sender', code: 'unknown_name' }])
    expect(await entries(app, key)).toHaveLength(1)
  })

  test('pages of it follow each other', async () => {
    const app = await startApp()
    const key = await app.key()
    for (const n of [1, 2, 3]) await app.call(key, '/suppressions', { phone: `628123456789${n}` })
    const first = await app.call<View[]>(key, '/suppressions?limit=2')
    const second = await app.call<View[]>(key, `/suppressions?limit=2&cursor=${first.body.next_cursor}`)
    expect([...first.body.data, ...second.body.data].map(({ phone }) => phone.at(-1))).toEqual(['3', '2', '1'])
    expect(second.body.next_cursor).toBeNull()
  })

  test('a table of a spreadsheet is taken line by line, and given back', async () => {
    const app = await startApp()
    const table = [
      'phone;scope;sender_code',
      '+62 812-3456-7890;all;',
      `"6281111111111";;${SANDBOX}`,
      'not a number;all;',
      '6282222222222;nothing;',
      '6283333333333;all;SND-NONE',
      '0812-9011-4473;all;',
      '',
    ].join('\r\n')
    interface Imported {
      added: number
      refused: { line: number; field: string; code: string }[]
      refused_count: number
    }
    const take = (text: string) =>
      app.owner<Imported>('/api/suppressions/import', { body: text, headers: { 'content-type': 'text/csv' } })
    const { body } = await take(table)
    expect(body.data).toMatchObject({ added: 2, refused_count: 4 })
    expect(body.data.refused).toMatchObject([
      { line: 4, field: 'phone', code: 'not_a_phone' },
      { line: 5, field: 'scope', code: 'not_one_of', values: { allowed: ['marketing', 'all'] } },
      { line: 6, field: 'sender_code', code: 'no_such_sender' },
      { line: 7, field: 'phone', code: 'no_country_code' },
    ])
    const csv = await app.owner('/api/suppressions/export.csv')
    const lines = csv.text.trim().split('\r\n')
    expect(lines[0]).toBe('phone,scope,sender_code,source,at')
    expect(
      lines
        .slice(1)
        .map((line) => line.split(',').slice(0, 4).join())
        .toSorted(),
    ).toEqual([`6281111111111,marketing,${SANDBOX},owner`, '6281234567890,all,,owner'])
    // All numbers of the owner are in one country: there 0812… is meant.
    await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
    expect((await take('0812-9011-4473')).body.data).toMatchObject({ added: 1, refused_count: 0 })
    expect((await app.owner('/api/suppressions/export.csv')).text).toContain('6281290114473,marketing,,owner')
    expect((await take('6281234567890')).body.data).toMatchObject({ added: 0, refused_count: 0 })
    expect((await app.owner('/api/suppressions/export.csv')).text).toContain('6281234567890,all,,owner')
  })

  test.each([
    ['with names of its own, and columns that nobody reads', 'Nomor;Nama;Keterangan\n0812-3456-7890;Budi;minta stop\n'],
    ['with the separator in a line of its own', 'sep=;\r\nNo;Nama;No HP\r\n1;Budi;="081234567890"\r\n'],
    ['with a number in each line and a name beside it', '081234567890;Budi\n'],
    ['that was saved with the letters of Windows', Buffer.from('Telepon;Nama\n081234567890;Jos\xe9\n', 'latin1')],
  ])('a list of a shop is taken %s', async (_, table) => {
    const app = await startApp()
    await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
    const { data } = (await importTable(app, table)).body
    expect(data).toMatchObject({ added: 1, refused_count: 0 })
    expect((await app.owner('/api/suppressions/export.csv')).text).toContain('6281234567890,marketing,,owner')
  })

  test('of a list of a shop, no line is guessed that can be read in two ways', async () => {
    const app = await startApp()
    await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
    const { data } = (await importTable(app, 'No HP\n81234567890\nbukan nomor\n')).body
    expect(data).toMatchObject({
      added: 0,
      refused: [
        { line: 2, field: 'phone', code: 'no_country_code' },
        { line: 3, field: 'phone', code: 'not_a_phone' },
      ],
    })
    const others = ['812-3456-7890', '812 3456 7890', '6281234567890.0', '6281234567890,00', '="81234567890"']
    for (const [n, typed] of others.entries()) {
      const { body } = await importTable(app, `Nama;No HP\nBudi;${typed}\n`)
      expect([n, body.data.added, body.data.refused]).toEqual([n, 0, [expect.objectContaining({ line: 2 })]])
    }
    expect((await importTable(app, 'No HP\n+81 90-1234-5678\n')).body.data).toMatchObject({ added: 1 })
    expect((await importTable(app, 'No HP\n\u202a+62 811-1111-2222\u202c\n')).body.data).toMatchObject({ added: 1 })
    for (const table of ['Phone\n81901234567\n', 'Name,phone\nBudi,81901234567\n', 'phone,scope\n81901234567,all\n'])
      expect((await importTable(app, table)).body.data).toMatchObject({ added: 0, refused_count: 1 })
    // The column that has the numbers counts, not the one that is named as Kurir's.
    const two = 'Phone;No HP\n-;0811-1111-3333\n'
    expect((await importTable(app, two)).body.data).toMatchObject({ added: 1, refused_count: 0 })
    // Kurir wrote this one itself.
    const ours = 'phone,scope,sender_code,source,at\n81901234567,all,,owner,2026-11-01T00:00:00.000Z\n'
    expect((await importTable(app, ours)).body.data).toMatchObject({ added: 1 })
  })

  test('a long table is read in turns with the calls of others, and a line without an end is refused', async () => {
    const app = await startApp()
    let turns = 0
    const count = () => {
      turns += 1
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    await checkTable(app, 'Telepon;Nama\n+6281234567890;Budi\n'.repeat(5_000))
    clearImmediate(next)
    expect(turns).toBeGreaterThan(20)
    const { status, body } = await importTable(app, `phone\n${'1,'.repeat(17_000)}\n`)
    expect([status, body.error?.code]).toEqual([413, 'payload_too_large'])
  })

  test('a table is shown as it is understood, and nothing of it is taken', async () => {
    const app = await startApp()
    await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
    const numbers = Array.from({ length: 5 }, (_, n) => `08123456789${n};Budi`)
    const { data } = (await checkTable(app, ['No HP;Nama', 'x;Sri', ...numbers].join('\n'))).body
    expect(data).toMatchObject({
      count: 5,
      refused_count: 1,
      refused: [{ line: 2, field: 'phone', code: 'not_a_phone' }],
      first: [0, 1, 2].map((n) => ({ phone: `628123456789${n}`, scope: 'marketing', sender_code: null })),
    })
    expect(data.first).toHaveLength(3)
    expect((await app.owner<View[]>('/suppressions')).body.data).toEqual([])
    expect((await app.owner<object[]>('/api/owner-acts')).text).not.toContain('import')
  })

  test('a workbook is taken as a CSV is, and one that is none is refused with the way out', async () => {
    const app = await startApp()
    const row = (cells: string) => `<row>${cells}</row>`
    const typed = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
    const rows = row(typed('Nomor') + typed('Nama')) + row(`<c><v>6281234567890</v></c>${typed('Budi')}`)
    expect((await importTable(app, workbook({ rows }))).body.data).toMatchObject({ added: 1, refused_count: 0 })
    const { status, body } = await importTable(app, 'PK\u0003\u0004')
    expect([status, body.error.code]).toEqual([422, 'table_unreadable'])
    expect(body.message).toContain('Save it as CSV or XLSX')
  })

  test('a table that a full disk ended in the middle is taken as a whole the next time, and the answer says so', async () => {
    const app = await startApp()
    const table = Array.from({ length: 2_000 }, (_, n) => `628${1_000_000_000 + n}`).join('\n')
    const take = () =>
      app.owner<{ added: number }>('/api/suppressions/import', { body: table, headers: { 'content-type': 'text/csv' } })
    const when = "NEW.phone = '6281000001500'"
    const makeRoom = await app.disk.fullWith({ event: 'INSERT', table: 'suppressions', when })
    const ended = await take()
    expect([ended.status, ended.body.error]).toEqual([503, { code: 'storage_unavailable', retry_after: 5 }])
    expect(ended.body.message).toMatch(/The disk is full.*Only a part of the table was taken/)
    await makeRoom()
    const noted = (await app.owner('/api/suppressions/export.csv')).text.trim().split('\r\n').length - 1
    expect(noted).toBeGreaterThan(0)
    expect(noted).toBeLessThan(2_000)
    expect((await take()).body.data).toMatchObject({ added: 2_000 - noted })
  })
})

describe('messages to somebody who opted out', () => {
  test('advertising is refused at accept, everything else goes on', async () => {
    const app = await startApp()
    const key = await app.key()
    await app.call(key, '/suppressions', { phone: CUSTOMER })
    const refused = await send(app, key, { purpose: 'marketing' })
    expect([refused.status, refused.body.error.code]).toEqual([409, 'recipient_opted_out'])
    const otp = await send(app, key, { message: 'OTP 123456' })
    expect(otp.status).toBe(200)
    expect((await app.reached(otp.body.data.id, 'read')).status).toBe('read')
  })

  test('who wants nothing gets nothing', async () => {
    const app = await startApp()
    const key = await app.key()
    await app.call(key, '/suppressions', { phone: CUSTOMER, scope: 'all', sender_code: SANDBOX })
    expect((await send(app, key)).status).toBe(409)
    const other = await app.sender('sandbox')
    expect((await send(app, key, { sender_code: other })).status).toBe(200)
  })

  test('what waits is cancelled with the reason; callbacks report both', async () => {
    const { app, key, webhook } = await startWithCallbacks()
    const receiver = await startReceiver()
    await webhook(receiver.url)
    const waiting = await send(app, key, { purpose: 'marketing', delay: 600 })
    const otp = await send(app, key, { delay: 600 })
    const ofAnother = await send(app, key, { purpose: 'marketing', delay: 600, phone: '6281388205516' })
    await app.call(key, '/suppressions', { phone: CUSTOMER })
    const cancelled = await app.message(waiting.body.data.id)
    expect(cancelled).toMatchObject({ status: 'cancelled', nextAt: null, error: { code: 'recipient_opted_out' } })
    for (const kept of [otp, ofAnother]) expect((await app.message(kept.body.data.id)).status).toBe('queued')
    const { event } = await receiver.event('message.cancelled', waiting.body.data.id)
    expect(event.data).toMatchObject({ status: 'cancelled', error: { code: 'recipient_opted_out' } })
    const news = await receiver.event('contact.opted_out')
    expect(news.event.data).toMatchObject({ phone: CUSTOMER, scope: 'marketing', source: 'api', sender_code: null })
  })
})

test.each<[string | null, 'out' | 'in' | null]>([
  ['STOP', 'out'],
  ['  berhenti\n', 'out'],
  ['ＳＴＯＰ', 'out'],
  ['start', 'in'],
  ['Mulai', 'in'],
  ['please stop', null],
  ['STOP.', null],
  ['', null],
  [null, null],
  [`STOP${' '.repeat(1000)}`, null],
])('%j is read as %j', (text, asked) => {
  expect(keywordIn(text, { out: ['STOP', 'BERHENTI'], in: ['START', 'MULAI'] })).toBe(asked)
})
