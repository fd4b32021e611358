import { expect, test, vi } from 'vitest'
import type { Overrides } from '../../server/composition/core.ts'
import { MOST_TABLES, UNDO_WITHIN } from '../../server/slices/tables/contract.ts'
import { createTableStore } from '../../server/slices/tables/store.ts'
import type { Db } from '../../server/store/sqlite/database.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { isShared } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { act, check, send, take, view } from '../support/tables.ts'
import { watchStatements } from '../support/watched-statements.ts'

const TEXT = 'Halo {nama}, tagihan {total}.'
const PLAN = { phone_column: 'No HP', message: TEXT }

const table = (rows: readonly string[][]) =>
  [['No HP', 'Nama', 'Total'], ...rows].map((cells) => cells.join(';')).join('\r\n')

const phone = (n: number) => `0812${String(10_000_000 + n)}`
const many = (count: number) => table(Array.from({ length: count }, (_, n) => [phone(n), `Pelanggan ${n}`, `${n}.000`]))

interface Shown {
  id: string
  recipient: string
  message: string
  status: string
  priority: string
}
const messages = async (app: TestApp, query = '') => (await app.owner<Shown[]>(`/messages?limit=200${query}`)).body.data

async function start(overrides: Pick<Overrides, 'opened'> = {}) {
  const clock = createTestClock()
  const app = await startApp({ clock, overrides })
  await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
  return { app, clock }
}

/** Nothing leaves: the sender is paused. */
async function startPaused(overrides: Pick<Overrides, 'opened'> = {}) {
  const started = await start(overrides)
  await started.app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
  return started
}

test('a table is read, checked row by row, and sent after ten seconds', async () => {
  const { app, clock } = await start()
  await app.owner('/suppressions', { body: { phone: '6281200000003', scope: 'all' } })
  const rows = [
    ['0812-0000-1001', 'Ibu Sri', '150.000'],
    ['+62 812 0000 1002', 'Budi; Jaya', '75.000'],
    ['081200000003', 'Tidak mau', '1'],
    ['81200001004', 'Tanpa nol', '2'],
    ['8,12E+11', 'Disingkat', '3'],
    ['0812-0000-1001', 'Ibu Sri', '150.000'],
    ['0812-0000-1001', 'Ibu Sri', '99.000'],
    ['', 'Tanpa nomor', '4'],
    ['081200000009', '', '5'],
    ['bukan nomor', 'X', '6'],
  ].map((cells) => cells.map((cell) => (cell.includes(';') ? `"${cell}"` : cell)))
  const taken = await take(app, table(rows))
  expect([taken.status, taken.body.data]).toMatchObject([
    200,
    {
      name: 'customers.csv',
      columns: ['No HP', 'Nama', 'Total'],
      rows: 10,
      state: 'draft',
      counts: { waiting: 10 },
      guess: { phone_column: 'No HP', file_column: null },
      first_rows: expect.arrayContaining([['0812-0000-1001', 'Ibu Sri', '150.000']]),
    },
  ])
  const { id } = taken.body.data
  const checked = await check(app, id, PLAN)
  expect(checked).toMatchObject({
    count: 3,
    refused: { opted_out: 1, zero_lost: 1, shortened: 1, twice: 1, no_number: 1, empty_field: 1, not_a_phone: 1 },
    same_number: 1,
    unknown_fields: [],
    previews: [
      { line: 2, recipient: '6281200001001', message: 'Halo Ibu Sri, tagihan 150.000.' },
      { line: 3, recipient: '6281200001002', message: 'Halo Budi; Jaya, tagihan 75.000.' },
      { line: 8, message: 'Halo Ibu Sri, tagihan 99.000.' },
    ],
    ends_at: expect.any(String),
  })
  expect(checked.refused_rows).toContainEqual({ line: 5, code: 'zero_lost', value: '81200001004' })
  expect(checked.refused_rows).toContainEqual({ line: 10, code: 'empty_field', value: 'nama' })
  expect(await check(app, id, { ...PLAN, restore_zero: true })).toMatchObject({ count: 4, restored: 1 })
  expect(await messages(app)).toEqual([])

  // What is sent is what was promised, or nothing.
  expect((await send(app, id, PLAN, 4)).status).toBe(409)
  expect((await send(app, id, { ...PLAN, message: '{kota}' }, 3)).body.error.details).toMatchObject([
    { field: 'message', code: 'other' },
  ])
  expect((await send(app, id, { ...PLAN, phone_column: 'Telp' }, 3)).status).toBe(400)
  const sent = await send(app, id, PLAN, 3)
  expect([sent.status, sent.body.data.state, sent.body.data.counts]).toEqual([
    200,
    'planned',
    { waiting: 3, refused: 7 },
  ])
  expect((await send(app, id, PLAN, 3)).status).toBe(409)
  expect(await messages(app)).toEqual([])
  await clock.advance(UNDO_WITHIN)
  await eventually(async () => (await view(app, id)).counts.waiting === undefined)
  await eventually(async () => {
    await clock.advance(10_000)
    return (await view(app, id)).state === 'done'
  })
  await eventually(async () => {
    await clock.advance(1_000)
    return (await view(app, id)).counts.read === 3
  })
  expect((await view(app, id)).counts).toEqual({ refused: 7, read: 3 })
  expect((await messages(app)).map(({ recipient, message }) => `${recipient} ${message}`).toReversed()).toEqual([
    '6281200001001 Halo Ibu Sri, tagihan 150.000.',
    '6281200001002 Halo Budi; Jaya, tagihan 75.000.',
    '6281200001001 Halo Ibu Sri, tagihan 99.000.',
  ])

  const csv = (await app.owner(`/api/tables/${id}/results.csv`)).text.trim().split('\r\n')
  expect(csv[0]).toBe('No HP,Nama,Total,Number,Status,Status since,Why it failed')
  expect(csv[1]).toMatch(/^0812-0000-1001,Ibu Sri,150.000,"=""6281200001001""",Read,2026-11-21 /)
  expect(csv[4]).toContain('81200001004,Tanpa nol,2,,Not sent,,81200001004 has neither its first 0 nor a country code.')
  const { body } = await app.owner<{ line: number; status: string }[]>(`/api/tables/${id}/rows?limit=4`)
  expect(body.data.map(({ line, status }) => [line, status])).toEqual([
    [2, 'read'],
    [3, 'read'],
    [4, 'refused'],
    [5, 'refused'],
  ])
  expect(body.next_cursor).toBe('4')
  const linesOf = async (query: string) =>
    (await app.owner<{ line: number }[]>(`/api/tables/${id}/rows?${query}`)).body.data.map(({ line }) => line)
  expect(await linesOf('show=left_out&limit=2')).toEqual([4, 5])
  expect((await linesOf('show=sent')).length).toBe(3)
  expect(await linesOf('show=failed')).toEqual([])
  expect(await linesOf('show=waiting')).toEqual([])
})

test('a number that begins with 0 is not read in the country of another sender', async () => {
  const app = await startApp()
  await app.sender('linked', { country_code: '65' })
  const sender_code = await app.sender('linked')
  const { id } = (await take(app, table([['0812-0000-1001', 'Ibu Sri', '1']]))).body.data
  expect((await check(app, id, { ...PLAN, sender_code })).refused).toEqual({ no_country_code: 1 })
})

test('it can be undone for ten seconds, and only then', async () => {
  const { app, clock } = await start()
  const { id } = (await take(app, many(3))).body.data
  await send(app, id, PLAN, 3)
  expect((await act(app, id, 'undo')).body.data.state).toBe('draft')
  await clock.advance(UNDO_WITHIN)
  expect(await messages(app)).toEqual([])
  await send(app, id, PLAN, 3)
  await clock.advance(UNDO_WITHIN)
  await eventually(async () => (await messages(app)).length === 3)
  expect((await act(app, id, 'undo')).status).toBe(409)
  expect((await app.owner(`/api/tables/${id}`, { method: 'DELETE' })).status).toBe(409)
})

test('the time to undo it begins when its rows were looked at, however long that took', async () => {
  const { app, clock } = await start()
  const { id } = (await take(app, many(3))).body.data
  const { suppressions } = app.app.store
  const { scopeOf } = suppressions
  // A slow disk.
  vi.spyOn(suppressions, 'scopeOf').mockImplementation(async (...about) => {
    await clock.advance(UNDO_WITHIN)
    return scopeOf(...about)
  })
  expect((await send(app, id, PLAN, 3)).body.data.state).toBe('planned')
  await clock.advance(UNDO_WITHIN - 1)
  expect((await act(app, id, 'undo')).body.data.state).toBe('draft')
})

test('a table is paused, resumed and cancelled as one', async () => {
  const { app, clock } = await startPaused()
  const { id } = (await take(app, many(250))).body.data
  await send(app, id, PLAN, 250)
  await clock.advance(UNDO_WITHIN)
  await eventually(async () => (await view(app, id)).counts.queued === 250)
  const firstIds = new Set((await messages(app)).map((message) => message.id))
  expect((await messages(app))[0]?.priority).toBe('low')

  await act(app, id, 'pause')
  await eventually(async () => (await view(app, id)).counts.waiting === 250)
  expect((await view(app, id)).state).toBe('paused')
  expect(await messages(app, '&status=queued')).toEqual([])
  await act(app, id, 'resume')
  await eventually(async () => (await view(app, id)).counts.queued === 250)
  const again = await messages(app, '&status=queued')
  expect(again.some((message) => firstIds.has(message.id))).toBe(false)

  await act(app, id, 'cancel')
  await eventually(async () => (await view(app, id)).counts.cancelled === 250)
  expect((await act(app, id, 'resume')).status).toBe(409)
})

test('rows that never left in a stopped table are called so, and do not wait', async () => {
  const { app, clock } = await startPaused()
  const { id } = (await take(app, many(2))).body.data
  await send(app, id, PLAN, 2)
  await clock.advance(UNDO_WITHIN)
  await eventually(async () => (await view(app, id)).counts.queued === 2)
  await act(app, id, 'pause')
  await eventually(async () => (await view(app, id)).counts.waiting === 2)
  await act(app, id, 'cancel')
  expect((await view(app, id)).counts).toEqual({ stopped: 2 })
  const kinds = async (show: string) =>
    (await app.owner<{ status: string }[]>(`/api/tables/${id}/rows?show=${show}`)).body.data.map(({ status }) => status)
  expect([await kinds('waiting'), await kinds('stopped')]).toEqual([[], ['stopped', 'stopped']])
  expect((await app.owner(`/api/tables/${id}/results.csv`)).text.match(/,Stopped,/g)).toHaveLength(2)
})

test('what failed is sent again as one, and only that', async () => {
  const { app, clock } = await start()
  // Numbers of the sandbox that end so are refused by WhatsApp; those with 0001 are not on it.
  const rows = [
    ['081200001111', 'Baik', '1'],
    ['081200000005', 'Gagal', '2'],
    ['081200000001', 'Bukan WhatsApp', '3'],
  ]
  const { id } = (await take(app, table(rows))).body.data
  await send(app, id, PLAN, 3)
  await clock.advance(UNDO_WITHIN)
  const done = () =>
    eventually(async () => {
      await clock.advance(1_000)
      return (await view(app, id)).state === 'done'
    })
  const sentTo = async () => (await messages(app)).map(({ recipient }) => recipient.slice(-4)).sort()
  await done()
  expect((await view(app, id)).counts).toMatchObject({ failed: 2 })
  expect(await sentTo()).toEqual(['0001', '0005', '1111'])
  await act(app, id, 'send_again')
  await eventually(async () => (await messages(app)).length === 4)
  await done()
  expect(await sentTo()).toEqual(['0001', '0005', '0005', '1111'])
  expect((await view(app, id)).counts).toMatchObject({ failed: 2 })
})

test('rows that are sent again while the program looks for work are not forgotten', async () => {
  const { app, clock } = await start()
  // Rows of two portions fail in the sandbox.
  const rows = Array.from({ length: 102 }, (_, n) => [n < 99 ? phone(n + 100) : '081234560005', `Pelanggan ${n}`, '1'])
  const { id } = (await take(app, table(rows))).body.data
  const other = (await take(app, many(1))).body.data.id
  await send(app, id, PLAN, 102)
  await send(app, other, PLAN, 1)
  await clock.advance(UNDO_WITHIN)
  await eventually(async () => {
    await clock.advance(5_000)
    return (await view(app, id)).counts.failed === 3
  })
  await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
  // The other table wakes the work while the rows of this one are still being freed.
  await Promise.all([act(app, id, 'send_again'), act(app, other, 'pause')])
  await eventually(async () => (await view(app, id)).counts.queued === 3)
})

test('files are found by their name, with or without its ending', async () => {
  const { app, clock } = await startPaused()
  const upload = async (name: string) =>
    (
      await app.owner<{ file_id: string }>('/files', {
        body: Buffer.from(`%PDF-1.4 ${name}`),
        headers: { 'content-type': 'application/pdf', 'x-filename': name },
      })
    ).body.data.file_id
  const files = { 'INV-1.pdf': await upload('INV-1.pdf'), 'inv-2.pdf': await upload('inv-2.pdf') }
  const text = 'nomor,berkas\n081211111111,INV-1.pdf\n081211111112,INV-2\n081211111113,INV-3\n081211111114,'
  const taken = (await take(app, text)).body.data
  expect(taken.guess).toEqual({ phone_column: 'nomor', file_column: 'berkas' })
  const plan = { phone_column: 'nomor', file_column: 'berkas', files, message: 'Faktur' }
  expect(await check(app, taken.id, plan)).toMatchObject({
    count: 3,
    refused_rows: [{ line: 4, code: 'file_missing', value: 'INV-3' }],
    previews: [{ file: 'INV-1.pdf' }, { file: 'inv-2.pdf' }, { file: null }],
  })
  await send(app, taken.id, plan, 3)
  await clock.advance(UNDO_WITHIN)
  await eventually(async () => (await view(app, taken.id)).counts.queued === 3)
  const rows = await app.owner<{ filename: string | null }[]>('/messages?limit=10')
  expect(rows.body.data).toHaveLength(3)
})

test('a name brings no NUL, which one of the databases refuses', async () => {
  const { app } = await start()
  expect((await take(app, many(1), 'cust\0omers.csv')).body.data.name).toBe('customers.csv')
})

test('what is no table is refused, and nothing is kept of it', async () => {
  const { app } = await start()
  for (const [body, code] of [
    ['', 'table_unreadable'],
    ['nama,nomor', 'table_unreadable'],
    [Buffer.from([0x50, 0x4b, 3, 4, 9, 9, 9]), 'table_unreadable'],
    [many(5_001), 'payload_too_large'],
    [`nomor\n${'x'.repeat(5_000)}`, 'payload_too_large'],
    [`nomor\n${','.repeat(100)}x`, 'payload_too_large'],
    ['x'.repeat(8 * 1024 * 1024 + 1), 'payload_too_large'],
  ] as const) {
    const { body: answer } = await take(app, body)
    expect(answer.error?.code, String(body).slice(0, 20)).toBe(code)
  }
  expect((await app.owner<unknown[]>('/api/tables')).body.data).toEqual([])
})

test('drafts that nobody sends go after a day, and there is a limit for tables', async () => {
  const { app, clock } = await start()
  const { id } = (await take(app, many(1))).body.data
  await clock.advance(25 * 3_600_000)
  expect((await app.owner(`/api/tables/${id}`)).status).toBe(404)
  const tables = createTableStore(app.app.store.statements)
  const kept = { name: '', columns: ['a'], state: 'draft' as const, rows: 0, createdAt: clock.now() }
  for (let n = 0; n < MOST_TABLES; n += 1) await tables.add({ ...kept, id: `table ${n}` }, MOST_TABLES)
  expect((await take(app, many(1))).status).toBe(409)
  const done = { state: 'going' as const, busy: false, at: clock.now(), plannedAt: clock.now() }
  for (const n of [5, 4]) await tables.move(`table ${n}`, 'draft', done)
  expect((await take(app, many(1))).status).toBe(200)
  const found = await Promise.all([4, 5, 6].map((n) => tables.find(`table ${n}`)))
  expect(found.map((one) => one?.id)).toEqual([undefined, 'table 5', 'table 6'])
})

/** Counts rows of tables that one SELECT reads or one commit writes. */
function watchPortions() {
  const portions = { read: [] as number[], added: [] as number[], marked: [] as number[] }
  const since = { added: 0, marked: 0 }
  function commit(): void {
    for (const kind of ['added', 'marked'] as const) {
      if (since[kind] > 0) portions[kind].push(since[kind])
      since[kind] = 0
    }
  }
  const opened = (db: Db) =>
    watchStatements(db, {
      onRun(sql) {
        if (sql.startsWith('INSERT INTO send_table_rows ')) since.added += 1
        if (sql.startsWith('UPDATE send_table_rows ')) since.marked += 1
        if (sql === 'COMMIT') commit()
      },
      onRows(sql, count) {
        if (/^SELECT [\s\S]* FROM send_table_rows /.test(sql)) portions.read.push(count)
      },
    })
  return { portions, opened }
}

// By the statements of SQLite; on a server they are the same.
test.skipIf(isShared)('5,000 rows are looked at, written and counted in portions', async () => {
  const { portions, opened } = watchPortions()
  const { app } = await startPaused({ opened })
  const { id } = (await take(app, many(5_000))).body.data
  expect(portions.added.length).toBeGreaterThan(1)
  expect(Math.max(...portions.added)).toBeLessThanOrEqual(250)
  // Its first rows were read for the answer.
  portions.read = []
  expect((await check(app, id, PLAN)).count).toBe(5_000)
  expect([portions.read.length, Math.max(...portions.read), portions.marked]).toEqual([51, 100, []])
  expect((await send(app, id, PLAN, 5_000)).status).toBe(200)
  expect([portions.marked.length, Math.max(...portions.marked)]).toEqual([50, 100])
})

test('a row that is refused when it is accepted does not stop the others', async () => {
  const { app, clock } = await startPaused()
  const { id } = (await take(app, many(150))).body.data
  await send(app, id, PLAN, 150)
  // Between the check and the queue.
  await app.owner('/suppressions', { body: { phone: '6281210000007', scope: 'all' } })
  await clock.advance(UNDO_WITHIN)
  await eventually(async () => (await view(app, id)).counts.waiting === undefined)
  expect((await view(app, id)).counts).toEqual({ queued: 149, refused: 1 })
})

test('a disk that is full for a while loses no row and doubles none', async () => {
  const { app, clock } = await startPaused()
  const { id } = (await take(app, many(120))).body.data
  await send(app, id, PLAN, 120)
  const when = "NEW.recipient = '6281210000050'"
  const makeRoom = await app.disk.fullWith({ event: 'INSERT', table: 'messages', when })
  await clock.advance(UNDO_WITHIN)
  await clock.scheduled(30_000)
  await makeRoom()
  await clock.advance(30_000)
  await eventually(async () => (await view(app, id)).counts.queued === 120)
  const { body } = await app.owner<Shown[]>('/messages?limit=200')
  expect(new Set(body.data.map(({ recipient }) => recipient)).size).toBe(120)
  expect(body.data).toHaveLength(120)
})
