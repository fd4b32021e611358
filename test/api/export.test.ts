import { request } from 'undici'
import { expect, it } from 'vitest'
import { en } from '../../server/words/en/index.ts'
import { id as indonesian } from '../../server/words/id/index.ts'
import { OWNER_TOKEN, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { newRow } from '../support/new-message.ts'
import { sendTemplate } from '../support/official.ts'

/** Reads a table as a spreadsheet does (RFC 4180). */
function parseCsv(text: string): string[][] {
  expect(text.startsWith('\ufeff')).toBe(true)
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text.slice(1).matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') rows.push([])
    if (end === '') break
  }
  return rows.slice(0, -1)
}

/** With the byte order mark, which readers of texts drop. */
async function exported(app: TestApp, query = '') {
  const answer = await request(`${app.url}/api/messages/export.csv${query}`, {
    headers: { authorization: `Bearer ${OWNER_TOKEN}` },
  })
  return { headers: answer.headers, text: Buffer.from(await answer.body.arrayBuffer()).toString() }
}

it('exports both channels as a table, newest first, and only what fits the filters', async () => {
  const app = await startApp()
  await app.owner('/send', {
    body: { phone: '6281234567890', message: 'one', sender_code: SANDBOX, reference_id: 'A' },
  })
  const template = await sendTemplate(app, { sender_code: SANDBOX, template_name: 'invoice', metadata: { n: 1.1 } })
  await app.reached(template.body.data.id, 'read')
  const answer = await exported(app)
  expect(answer.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="messages.csv"',
  })
  const [head = [], ...rows] = parseCsv(answer.text)
  expect(rows.map((row) => row.length)).toEqual([head.length, head.length])
  const [first = [], second = []] = rows
  const cell = (row: string[], name: string) => row[head.indexOf(name)]
  expect(cell(first, 'template_name')).toBe('invoice')
  expect(cell(first, 'metadata')).toBe('{"n":1.1}')
  expect(cell(second, 'message')).toBe('one')
  expect(cell(second, 'reference_id')).toBe('A')
  const filtered = await exported(app, '?channel=template&template_name=invoice')
  expect(parseCsv(filtered.text)).toHaveLength(2)
  expect(parseCsv((await exported(app, '?sender_code=SND-NONE')).text)).toHaveLength(1)
  expect((await app.owner('/api/messages/export.csv?status=nonsense')).status).toBe(400)
})

it.each([
  ['=HYPERLINK("http://evil";"x")'],
  ['+62812'],
  ['-1+1'],
  ['@SUM(A1)'],
  ['\t=1', "'\t'=1"],
  ['\r=1', "'\r'=1"],
  [' =1'],
  ['\n=1', "\n'=1"],
  ['＝1'],
  ['＋1'],
  ['\u200b=1'],
  ['\u0001=1'],
  ['\u22121'],
  ['\ufe631'],
  ['\ufe621'],
  ['\ufe661'],
  ['\ufe6bA1'],
  [' \u207b1'],
])('no cell is a formula: %j', async (message, safe = `'${message}`) => {
  const app = await startApp()
  await app.owner('/send', { body: { phone: '6281234567890', message, sender_code: SANDBOX, reference_id: message } })
  const [head = [], row = []] = parseCsv((await exported(app)).text)
  expect(row[head.indexOf('message')]).toBe(safe)
  expect(row[head.indexOf('reference_id')]).toBe(safe)
})

it('a tab splits no cell where a spreadsheet takes it for a separator', async () => {
  const app = await startApp()
  await app.owner('/send', { body: { phone: '6281234567890', message: 'Halo\t=1+1', sender_code: SANDBOX } })
  expect((await exported(app)).text).toContain(`,"Halo\t'=1+1",`)
})

it('nor is one of a message that an earlier version took with NUL', async () => {
  const app = await startApp()
  const { store } = app.app
  const senderId = store.senders.byCode(SANDBOX)?.id ?? 0
  await store.messages.accept(newRow({ id: 'm', senderId, body: '\0=1', nextAt: null }), { unique: false })
  const [head = [], row = []] = parseCsv((await exported(app)).text)
  // PostgreSQL has not kept it.
  expect(row[head.indexOf('message')]?.replace('\0', '')).toBe("'=1")
})

it('keeps commas, quotes, line breaks and letters of all kinds', async () => {
  const app = await startApp()
  const message = 'Halo, "Budi"\r\nüñí 🙏'
  await app.owner('/send', { body: { phone: '6281234567890', message, sender_code: SANDBOX } })
  const [head = [], row = []] = parseCsv((await exported(app)).text)
  expect(row[head.indexOf('message')]).toBe(message)
})

it('is a table for people on request: their language, separator and time, numbers that stay numbers, reasons in words', async () => {
  const app = await startApp({ clock: createTestClock() })
  const sender = await app.sender('sandbox', { name: 'Toko; "Melati"' })
  const body = { phone: '6281234560001', message: '=halo', sender_code: sender, reference_id: '20261121000123' }
  const { body: sent } = await app.owner<{ id: string }>('/send', { body })
  await app.reached(sent.data.id, 'failed')
  const { text } = await exported(app, '?layout=spreadsheet&language=id&time_zone=Asia/Jakarta')
  const [head, row] = text.trimEnd().split('\r\n')
  expect(head).toBe('\ufeffMasuk antrean;Pengirim;Nomor;Status;Status sejak;Pesan;File;Referensi;Sebab gagal')
  const local = '2026-11-21 15:00:00'
  const reason = indonesian.failures.recipient_not_on_whatsapp.message
  const number = '"=""6281234560001"""'
  const reference = '"=""20261121000123"""'
  expect(row).toBe(`${local};"Toko; ""Melati""";${number};Gagal;${local};"'=halo";;${reference};${reason}`)
  const english = await exported(app, '?layout=spreadsheet&language=en&time_zone=UTC')
  const [, cells = []] = parseCsv(english.text)
  expect(cells).toEqual([
    ...['2026-11-21 08:00:00', 'Toko; "Melati"', '="6281234560001"', 'Failed', '2026-11-21 08:00:00', "'=halo", ''],
    ...['="20261121000123"', en.failures.recipient_not_on_whatsapp.message],
  ])
  expect((await app.owner('/api/messages/export.csv?layout=spreadsheet&time_zone=Mars/North')).status).toBe(400)
})

it('is for the owner only', async () => {
  const app = await startApp()
  expect((await app.call(await app.key(), '/api/messages/export.csv')).status).toBe(403)
})

it('writes as fast as it is read, and stops when nobody reads any more', async () => {
  const app = await startApp()
  const { store } = app.app
  const senderId = store.senders.byCode(SANDBOX)?.id ?? 0
  const body = 'x'.repeat(4000)
  const rows = Array.from({ length: 20_000 }, (_, n) =>
    newRow({ id: `m-${n}`, senderId, body, status: 'sent', createdAt: 1, nextAt: null }),
  )
  await Promise.all(rows.map((row) => store.messages.accept(row, { unique: false })))
  const pages: number[] = []
  const { list } = store.messages
  store.messages.list = (filter) => {
    pages.push(filter.limit)
    return list(filter)
  }
  const answer = await request(`${app.url}/api/messages/export.csv`, {
    headers: { authorization: `Bearer ${OWNER_TOKEN}` },
  })
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    expect(chunk.length).toBeGreaterThan(0)
    break
  }
  // A reader that stopped is the same as one that is slow: about what the sockets hold was read from the file.
  await app.owner('/health')
  expect(pages.length).toBeLessThan(20)
  answer.body.destroy()
})
