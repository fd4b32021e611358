import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { MAX_WAITING } from '../../server/messages/accept.ts'
import type { PrintDetail, PrinterView, PrintView } from '../../server/slices/printer/contract.ts'
import { createPrintStore } from '../../server/slices/printer/store.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'

const RECEIPT = 'TOKO MELATI\nNota: INV-1001\nHP: 62812-3456-7890\nTOTAL 36.000\n'

const printer = (app: TestApp, body?: object) =>
  app.owner<PrinterView>('/api/printer', body === undefined ? {} : { method: 'PATCH', body })
const prints = async (app: TestApp) => (await app.owner<PrintView[]>('/api/prints')).body.data
const messages = async (app: TestApp) => (await app.owner<{ id: string; recipient: string }[]>('/messages')).body.data

async function open(options: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp(options)
  const port = await freePort()
  expect((await printer(app, { on: true, port })).body.data).toMatchObject({ listening: true, problem: null })
  return { app, port }
}

/** A connection of a till. */
function till(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined).resume()
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Prints, and closes the connection, as most tills do. */
const print = (port: number, content: string | Buffer) =>
  new Promise<void>(
    (resolve) =>
      void till(port)
        .on('close', () => resolve())
        .resume()
        .end(content),
  )

const settled = async (app: TestApp, count: number) =>
  eventually(async () => {
    const all = await prints(app)
    return all.length === count && all.every(({ status }) => status !== 'new')
  })

const settledOn = async (clock: TestClock, app: TestApp, count: number) =>
  eventually(async () => {
    await clock.advance(1)
    const all = await prints(app)
    return all.length === count && all.every(({ status }) => status !== 'new')
  })

/** Prints once, marks the number and the reference, and switches sending on. */
async function teach(app: TestApp, port: number, clock?: TestClock): Promise<void> {
  await print(port, RECEIPT)
  await (clock === undefined ? settled(app, 1) : settledOn(clock, app, 1))
  const [row] = await prints(app)
  const { data } = (await app.owner<PrintDetail>(`/api/prints/${row?.id}`)).body
  const markOf = (text: string) => data.marks.find(({ line, from, to }) => data.lines[line]?.slice(from, to) === text)
  const learn = (what: string, text: string) =>
    app.owner<PrinterView>('/api/printer/learn', { body: { print_id: row?.id, what, ...markOf(text) } })
  expect((await learn('number', '62812-3456-7890')).body.data.number_rule).toEqual({ label: 'HP', place: 'after' })
  expect((await learn('reference', 'INV-1001')).body.data.reference_rule).toEqual({ label: 'Nota', place: 'after' })
  expect((await printer(app, { sending: true, sender_code: SANDBOX })).status).toBe(200)
}

test('nothing leaves before the owner has marked a print and switched sending on; then it does, once', async () => {
  const { app, port } = await open()
  expect((await printer(app, { sending: true, sender_code: SANDBOX })).body.error.code).toBe('conflict')
  await teach(app, port)
  expect(await prints(app)).toMatchObject([{ status: 'waiting', reason: 'no_rule', title: 'TOKO MELATI' }])
  expect(await messages(app)).toEqual([])

  await print(port, RECEIPT.replace('1001', '1002'))
  await settled(app, 2)
  const [sent] = await prints(app)
  expect(sent).toMatchObject({ status: 'sent', phone: '6281234567890', reference_id: 'INV-1002' })
  expect(await app.message(sent?.id ?? '')).toMatchObject({
    recipient: '6281234567890',
    referenceId: 'INV-1002',
    body: RECEIPT.replace('1001', '1002').trim(),
  })

  // The second copy, for the shop.
  await print(port, RECEIPT.replace('1001', '1002'))
  await settled(app, 3)
  expect((await prints(app))[0]).toMatchObject({ status: 'waiting', reason: 'copy' })
  expect(await messages(app)).toHaveLength(1)
})

test('the sandbox reads a number with a 0 in front as the sender of the owner will', async () => {
  const { app, port } = await open()
  await app.sender('linked', { country_code: '62' })
  await teach(app, port)
  await print(port, 'HP: 0812-3456-7899\n')
  await settled(app, 2)
  expect((await prints(app))[0]).toMatchObject({ status: 'sent', phone: '6281234567899' })
})

test('a receipt without a number waits, and is completed or thrown away', async () => {
  const { app, port } = await open()
  await teach(app, port)
  await print(port, 'TOKO MELATI\nNota: INV-7\nTOTAL 5\n')
  await settled(app, 2)
  const [waiting] = await prints(app)
  expect(waiting).toMatchObject({ status: 'waiting', reason: 'no_number', reference_id: 'INV-7' })
  const send = (phone: string) => app.owner(`/api/prints/${waiting?.id}/send`, { body: { phone } })
  expect((await send('12')).status).toBe(400)
  expect(
    (await Promise.all([send('6281234567891'), send('6281234567891')])).map(({ status }) => status).sort(),
  ).toEqual([...[200, 409]])
  expect(await messages(app)).toMatchObject([{ id: waiting?.id, recipient: '6281234567891', reference_id: 'INV-7' }])

  const [, first] = await prints(app)
  const remove = () => app.owner(`/api/prints/${first?.id}`, { method: 'DELETE' })
  expect([(await remove()).status, (await remove()).status]).toEqual([200, 404])
})

test('what is not clear waits, and is a concern', async () => {
  const { app, port } = await open()
  await teach(app, port)
  const each = [
    ['HP: 081234567890\nHP: 081234567891\nA\n', 'several_numbers'],
    ['HP: 0812\nB\n', 'bad_number'],
  ] as const
  for (const [content] of each) await print(port, content)
  await settled(app, 3)
  expect((await prints(app)).map(({ reason }) => reason).slice(0, 2)).toEqual(['bad_number', 'several_numbers'])
  const { data } = (await app.owner<{ concerns: { code: string; count: number }[] }>('/api/overview')).body
  expect(data.concerns.filter(({ code }) => code === 'prints_wait')).toMatchObject([{ count: 2 }])
})

test('a print that finds no room in the queue waits for nobody, and is sent when there is', async () => {
  const clock = createTestClock()
  const { app, port } = await open({ clock })
  await teach(app, port, clock)
  const full = vi.spyOn(app.app.store.queues, 'waiting').mockReturnValue(MAX_WAITING)
  await print(port, RECEIPT.replace('1001', '1002'))
  const again = clock.scheduled(60_000)
  await eventually(async () => {
    await clock.advance(1)
    return app.logs().includes('a print could not be worked on yet')
  })
  await again
  expect((await prints(app))[0]).toMatchObject({ status: 'new', reason: null })
  full.mockRestore()
  await clock.advance(60_000)
  await settledOn(clock, app, 2)
  expect((await prints(app))[0]).toMatchObject({ status: 'sent', reference_id: 'INV-1002' })
})

test('as a PDF, with the reference as its name', async () => {
  const { app, port } = await open()
  await teach(app, port)
  await printer(app, { form: 'pdf', caption: 'Nota Anda' })
  await print(port, RECEIPT.replace('1001', '1002'))
  await settled(app, 2)
  const message = await app.message((await prints(app))[0]?.id ?? '')
  expect(message).toMatchObject({ body: 'Nota Anda', filename: 'INV-1002.pdf' })
  expect(message.fileSha256).toMatch(/^[0-9a-f]{64}$/)
})

test('a crash between accepting and noting it sends once; what was not looked at is sent after the start', async () => {
  const { app, port } = await open()
  await teach(app, port)
  await print(port, RECEIPT.replace('1001', '1002'))
  await settled(app, 2)
  const [sent] = await prints(app)
  // As it is on disk when the power fails before the print is noted as sent, and after it is kept.
  await createPrintStore(app.app.store.statements).change(sent?.id ?? '', {
    ...{ status: 'new', reason: null, error: null, title: '', phone: null, reference: null },
  })
  const content = Buffer.from(RECEIPT.replace('1001', '1003'))
  const row = { id: '019ab000-0000-7000-8000-000000000003', at: Date.now(), content, digest: 'x' }
  await createPrintStore(app.app.store.statements).add(
    { ...row, status: 'new', reason: null },
    { prints: 9, bytes: 9999 },
  )
  await app.restart()
  await settled(app, 3)
  expect((await prints(app)).map(({ status }) => status)).toEqual(['sent', 'sent', 'waiting'])
  expect((await messages(app)).map(({ id }) => id).toSorted()).toEqual([sent?.id, row.id].toSorted())
})

test('a web page and TLS are no prints; a drawer alone is none; what is too large waits as what is missing some', async () => {
  const { app, port } = await open()
  await teach(app, port)
  const request = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 26\r\n\r\n`
  await print(port, `${request}\nHP: 081234567890\nNota: 9\n`)
  // In pieces, the second long after the first.
  const socket = till(port)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.write(request)
  await closed
  await print(port, Buffer.from(`\x16\x03\x01 HP: 081234567890`, 'latin1'))
  await print(port, `${'HP: 081234567890\n'.repeat(40_000)}`)
  // A whole receipt, and behind it a picture of 600,000 bytes and another receipt.
  const picture = Buffer.concat([Buffer.of(0x1d, 0x76, 0x30, 0, 100, 0, 112, 23), Buffer.alloc(600_000)])
  await print(port, Buffer.concat([Buffer.from(`${RECEIPT}\x1dV\0`), picture, Buffer.from('HP: 081234567891\n')]))
  // One that does not end is cut off.
  const endless = till(port)
  endless.write(Buffer.alloc(17 * 1024 * 1024, 'HP: 081234567890\n'))
  await new Promise((resolve) => endless.on('close', resolve))
  await print(port, Buffer.from('\x1bp\x00\x19\xfa', 'latin1'))
  await print(port, 'last\n')
  await settled(app, 5)
  expect((await prints(app)).map(({ title, reason }) => [title, reason])).toEqual([
    ['last', 'no_number'],
    ['', 'broken_off'],
    ['', 'broken_off'],
    ['', 'broken_off'],
    ['TOKO MELATI', 'no_rule'],
  ])
  expect(await messages(app)).toEqual([])
})

test('it is open to this PC alone, says so to tills that ask, and closes when it is switched off', async () => {
  const { app, port } = await open()
  const socket = till(port)
  const answer = new Promise<Buffer>((resolve) => socket.once('data', resolve))
  socket.write(Buffer.from([0x10, 0x04, 0x01]))
  expect([...(await answer)]).toEqual([0x12])
  expect((await printer(app, { on: false })).body.data).toMatchObject({ on: false, listening: false })
  const refused = new Promise((resolve) =>
    till(port).on('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
  )
  expect(await refused).toBe('ECONNREFUSED')
})

test('a port that another program has is a concern, and Kurir goes on', async () => {
  const { port } = await open()
  const other = await startApp()
  expect((await printer(other, { on: true, port })).body.data).toMatchObject({
    listening: false,
    problem: 'port_taken',
  })
  const { data } = (await other.owner<{ concerns: { code: string }[] }>('/api/overview')).body
  expect(data.concerns.map(({ code }) => code)).toContain('printer_closed')
})

test('a connection that stays open is a print when it falls silent; one that breaks off in a text waits', async () => {
  const clock = createTestClock()
  const { app, port } = await open({ clock })
  const socket = till(port)
  socket.write('TOKO MELATI\nHP: 0812345')
  await clock.scheduled(3000)
  await clock.advance(3000)
  await eventually(async () => (await prints(app)).length === 1)
  expect(await prints(app)).toMatchObject([{ status: 'waiting', reason: 'broken_off' }])
  await createPrintStore(app.app.store.statements).expire(clock.now() + 1)
  const silent = clock.rescheduled(3000)
  socket.write('whole\n')
  await silent
  await clock.advance(3000)
  await eventually(async () => {
    await clock.advance(1)
    return (await prints(app)).some(({ reason }) => reason === 'no_rule')
  })
})

test('a till that is killed in the middle of a print is no end of it, unless the paper was cut', async () => {
  const { app, port } = await open()
  await teach(app, port)
  async function killed(content: string): Promise<void> {
    const socket = till(port)
    const read = new Promise((resolve) => socket.once('data', resolve))
    // Its answer says that what was written before it has been read.
    socket.write(Buffer.from(`\x10\x04\x01${content}`, 'latin1'))
    await read
    socket.resetAndDestroy()
  }
  await killed('TOKO MELATI\nNota: INV-1\nHP: 62812-3456-7890\n')
  await settled(app, 2)
  expect((await prints(app))[0]).toMatchObject({ status: 'waiting', reason: 'broken_off' })
  await killed('TOKO MELATI\nNota: INV-2\nHP: 62812-3456-7890\n\x1dV\x00')
  await settled(app, 3)
  expect((await prints(app))[0]).toMatchObject({ status: 'sent', reference_id: 'INV-2' })
})

test('a print that Kurir ends, as it closes, waits', async () => {
  const { app, port } = await open()
  await teach(app, port)
  const socket = till(port)
  const read = new Promise((resolve) => socket.once('data', resolve))
  socket.write(Buffer.from('\x10\x04\x01TOKO MELATI\nHP: 62812-3456-7890\n', 'latin1'))
  await read
  await printer(app, { on: false })
  await settled(app, 2)
  expect((await prints(app))[0]).toMatchObject({ status: 'waiting', reason: 'broken_off' })
})

test('switched off while there is no room for a print, it keeps that one until there is', async () => {
  const clock = createTestClock()
  const { app, port } = await open({ clock })
  const store = createPrintStore(app.app.store.statements)
  const kept = { at: clock.now(), content: Buffer.from('a'), digest: 'x', status: 'waiting', reason: 'off' } as const
  const all = Array.from({ length: 2_000 }, (_, n) =>
    store.add({ ...kept, id: `kept ${n}` }, { prints: 9999, bytes: 9999 }),
  )
  await Promise.all(all)
  void print(port, 'KASIR\n')
  await eventually(async () => (await printer(app)).body.data.problem === 'full')
  expect((await printer(app, { on: false })).body.data).toMatchObject({ listening: false, problem: null })
  expect((await app.owner('/api/prints/kept%207', { method: 'DELETE' })).status).toBe(200)
  await eventually(async () => {
    await clock.advance(5_000)
    return (await prints(app))[0]?.title === 'KASIR'
  })
})

test('prints that broke off make room for others, after those that need nobody', async () => {
  const { app, port } = await open()
  const store = createPrintStore(app.app.store.statements)
  const kept = { at: Date.now(), content: Buffer.from('a'), digest: 'x', status: 'waiting' } as const
  const reasons = [...Array<string>(1_949).fill('broken_off'), 'off', ...Array<string>(50).fill('copy')]
  const all = reasons.map((reason, n) => store.add({ ...kept, id: `kept ${n}`, reason }, { prints: 9999, bytes: 9999 }))
  await Promise.all(all)
  const left = async () => Object.fromEntries((await store.waiting()).map(({ reason, count }) => [reason, count]))
  await print(port, 'KASIR 1\n')
  await eventually(async () => (await left()).no_rule === 1)
  expect(await left()).toEqual({ broken_off: 1_949, no_rule: 1, off: 1 })
  for (let n = 0; n < 50; n += 1)
    await store.add({ ...kept, id: `off ${n}`, reason: 'off' }, { prints: 9999, bytes: 9999 })
  await print(port, 'KASIR 2\n')
  await eventually(async () => (await left()).no_rule === 1)
  expect(await left()).toEqual({ broken_off: 1_900, no_rule: 1, off: 51 })
})

test('connections that say nothing give way to a till, and one in the middle of a print does not', async () => {
  const clock = createTestClock()
  const { app, port } = await open({ clock })
  const connected = async () => {
    const accepted = clock.rescheduled(5 * 60_000)
    const socket = till(port)
    await accepted
    return socket
  }
  const silent: Socket[] = []
  for (let n = 0; n < 7; n += 1) silent.push(await connected())
  const busy = await connected()
  await clock.advance(3000)
  const answered = new Promise((resolve) => busy.once('data', resolve))
  busy.write(Buffer.from('\x10\x04\x01TOKO MELATI\n', 'latin1'))
  await answered
  const gone = new Promise((resolve) => silent[0]?.once('close', resolve))
  await print(port, RECEIPT)
  await gone
  await settledOn(clock, app, 1)
  busy.end('HP: 62812-3456-7890\n')
  await settledOn(clock, app, 2)
  expect((await prints(app)).map(({ title }) => title)).toEqual(['TOKO MELATI', 'TOKO MELATI'])
})

test.each([
  { of: 'lines', content: 'HP: 62812-3456-7890\n', every: 2000, lasting: 24_000 },
  { of: 'no text, with rests', content: '\0', every: 4000, lasting: 24_000 },
  { of: 'letters, as more prints than a minute may have', content: 'a', every: 4000, lasting: 40_000 },
])('connections that trickle give way to a till, and what they brought waits: $of', async (trickle) => {
  const clock = createTestClock()
  const { app, port } = await open({ clock })
  const slow: Socket[] = []
  let gone = 0
  for (let n = 0; n < 8; n += 1) {
    const accepted = clock.rescheduled(5 * 60_000)
    slow.push(till(port).on('close', () => (gone += 1)))
    await accepted
  }
  for (let at = 0; at < trickle.lasting; at += 1000) {
    if (at % trickle.every === 0) for (const socket of slow) socket.write(trickle.content)
    await clock.advance(1000)
    await prints(app)
  }
  void print(port, 'KASIR\n')
  await eventually(async () => {
    await clock.advance(1000)
    return (await prints(app)).some(({ title }) => title === 'KASIR')
  })
  expect(gone).toBe(1)
  const reasons = (await prints(app)).map(({ reason }) => reason)
  expect(reasons.includes('broken_off')).toBe(trickle.content !== '\0')
})

test('rubbish of a driver is not read to its end, and waits as what it is', async () => {
  const { app, port } = await open()
  await print(port, 'TOKO MELATI\nHP\n081234567890\n')
  await settled(app, 1)
  const taught = { print_id: (await prints(app))[0]?.id, what: 'number', line: 2, from: 0 }
  expect((await app.owner<PrinterView>('/api/printer/learn', { body: taught })).body.data.number_rule).toEqual({
    label: 'HP',
    place: 'below',
  })
  await printer(app, { sending: true, sender_code: SANDBOX })
  const lines = 512 * 512
  await print(port, 'a\n'.repeat(lines))
  await settled(app, 2)
  const [rubbish] = await prints(app)
  expect(rubbish).toMatchObject({ status: 'waiting', reason: 'too_long', bytes: 2 * lines, title: 'a' })
  const byHand = await app.owner(`/api/prints/${rubbish?.id}/send`, { body: { phone: '6281234567890' } })
  expect(byHand.body.error.details).toMatchObject([{ field: 'message', code: 'too_long' }])
  expect(await messages(app)).toEqual([])
})

test('prints are forgotten after seven days', async () => {
  const clock = createTestClock()
  const { app, port } = await open({ clock })
  await print(port, 'old\n')
  await eventually(async () => (await prints(app)).length === 1)
  await clock.advance(7 * 24 * 3_600_000 + 3_600_000)
  await eventually(async () => (await prints(app)).length === 0)
})
