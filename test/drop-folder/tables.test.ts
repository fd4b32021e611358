import { hash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { UpdateDropFolder } from '../../server/slices/drop-folder/contract.ts'
import { createDropStore } from '../../server/slices/drop-folder/store.ts'
import type { TableView } from '../../server/slices/tables/contract.ts'
import { createTableStore } from '../../server/slices/tables/store.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import type { TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { workbook } from '../support/tables.ts'
import { concerns, inside, LOOK, open, put, take, view } from './world.ts'

const drops = ({ app }: TestApp) => createDropStore(app.store.statements)
const tablesIn = ({ app }: TestApp) => createTableStore(app.store.statements)

const HOUR = 3_600_000

/** The sandbox is paused, so that messages wait. */
async function openPaused(settings: UpdateDropFolder = {}) {
  const opened = await open(settings)
  await opened.app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
  await opened.app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
  return opened
}

interface Sent {
  id: string
  recipient: string
  message: string
}
const messages = async (app: TestApp) =>
  (await app.owner<Sent[]>('/messages?limit=200')).body.data
    .map(({ recipient, message }) => `${recipient} ${message}`)
    .toSorted()
const sent = (app: TestApp, count: number) => eventually(async () => (await messages(app)).length === count)
const files = async (app: TestApp) =>
  (await view(app)).files.map(({ name, status, reason }) => [name, reason ?? status])
const tables = async (app: TestApp) => (await app.owner<TableView[]>('/api/tables')).body.data
const BILLS = 'Nomor;Nama;Pesan\r\n081200000001;Sri;Halo Sri {nama}\r\n0812-0000-0002;Budi;Halo Budi\r\n'

test('each row of a table becomes a message, and the table is moved', async () => {
  const { app, clock, folder } = await openPaused()
  put(folder, 'tagihan.csv', BILLS)
  await take(clock)
  await clock.advance(10_000)
  await sent(app, 2)
  // Words in braces in a cell are the text of the owner.
  expect(await messages(app)).toEqual(['6281200000001 Halo Sri {nama}', '6281200000002 Halo Budi'])
  expect(inside(folder)).toEqual({ '': [], sent: ['tagihan.csv'], failed: [] })
  const [table] = await tables(app)
  expect(await view(app)).toMatchObject({
    problem: null,
    failed: 0,
    files: [{ name: 'tagihan.csv', status: 'taken', reason: null, message_id: null, table_id: table?.id }],
  })

  // The same table under the same name.
  put(folder, 'tagihan.csv', BILLS)
  await take(clock)
  expect(inside(folder).failed).toEqual(['tagihan.csv', 'tagihan.csv.txt'])
  expect([(await messages(app)).length, (await tables(app)).length]).toEqual([2, 1])
})

test('a workbook without a column of texts gets the text of the folder; refused rows are named beside it', async () => {
  const { app, clock, folder } = await openPaused({ table_text: 'Halo {nama}, tagihan {total}.' })
  await app.owner('/api/settings', { method: 'PATCH', body: { language: 'id' } })
  await app.owner('/suppressions', { body: { phone: '6281200000003', scope: 'all' } })
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
  const rows = [
    ['HP', 'Nama', 'Total'],
    ['081200000001', 'Sri', '10'],
    ['081200000002', '', '20'],
    ['081200000003', 'Tono', '30'],
    ['bukan nomor', 'Umar', '40'],
  ].map((cells) => `<row>${cells.map(cell).join('')}</row>`)
  put(folder, 'tagihan.xlsx', workbook({ rows: rows.join('') }))
  await take(clock)
  await clock.advance(10_000)
  await sent(app, 1)
  expect(await messages(app)).toEqual(['6281200000001 Halo Sri, tagihan 10.'])
  expect(inside(folder)).toEqual({ '': [], sent: ['tagihan.xlsx', 'tagihan.xlsx.txt'], failed: [] })
  const why = readFileSync(join(folder, 'sent/tagihan.xlsx.txt'), 'utf8')
  expect(why.trim().split('\r\n').slice(-3)).toEqual([
    'Baris 3: Kolom “nama” kosong, padahal dipakai di pesan.',
    'Baris 4: 6281200000003 tidak mau menerima pesan ini.',
    'Baris 5: bukan nomor bukan nomor telepon dan bukan grup pengirim ini.',
  ])
  // Home is not green while a text names what was refused.
  expect([await concerns(app), (await view(app)).failed]).toEqual([['drop_files_failed'], 1])
  unlinkSync(join(folder, 'sent/tagihan.xlsx.txt'))
  await take(clock)
  expect([await concerns(app), (await view(app)).failed]).toEqual([[], 0])
})

test('a table of which nothing can be sent is refused as a whole, with the reason', async () => {
  const { app, clock, folder } = await openPaused({ daily_limit: 3 })
  const many = Array.from({ length: 4 }, (_, n) => `08120000000${n},Halo`).join('\n')
  const each: [name: string, reason: string, content: string | Buffer][] = [
    ['a.csv', 'table_no_number', 'Nama,Pesan\nSri,Halo\n'],
    ['b.csv', 'table_no_text', 'HP,Nama\n081200000001,Sri\n'],
    ['c.xlsx', 'table_unreadable', 'PK no workbook'],
    ['d.csv', 'table_no_row', 'HP,Pesan\n081200000001,\nx,Halo\n'],
    ['e.csv', 'table_over_limit', `HP,Pesan\n${many}\n`],
    ['f.csv', 'table_too_large', Buffer.alloc(8 * 1024 * 1024 + 1, 'a')],
    ['0812-3456-7890 Harga.xlsx', 'table_for_one', BILLS],
  ]
  for (const [name, , content] of each) put(folder, name, content)
  await take(clock)
  expect((await files(app)).toSorted()).toEqual(each.map(([name, reason]) => [name, reason]).toSorted())
  expect([await messages(app), await tables(app)]).toEqual([[], []])
  expect(inside(folder)).toMatchObject({ '': [], sent: [] })
  const why = readFileSync(join(folder, 'failed/d.csv.txt'), 'utf8')
  expect(why.trim().split('\r\n').slice(-2)).toEqual([
    'Line 2: The column “pesan” is empty, and the message needs it.',
    'Line 3: x is no phone number and no group of this sender.',
  ])

  await app.owner('/api/drop-folder', { method: 'PATCH', body: { table_text: 'Halo {kota}' } })
  put(folder, 'g.csv', 'HP,Nama\n081200000001,Sri\n')
  await take(clock)
  expect((await files(app))[0]).toEqual(['g.csv', 'table_no_column'])
  expect(readFileSync(join(folder, 'failed/g.csv.txt'), 'utf8')).toContain('{kota}')
})

test('the rows of tables count for the limit of a day; what does not fit waits, and holds no other file', async () => {
  const { app, clock, folder } = await openPaused({ daily_limit: 3 })
  put(folder, 'one.csv', BILLS)
  await take(clock)
  put(folder, 'two.csv', `${BILLS}081200000003;Tono;Halo\r\n`)
  await take(clock)
  expect([await view(app), await concerns(app)]).toMatchObject([{ problem: 'limit', waiting: 1 }, ['drop_limit']])
  put(folder, 'three.csv', 'HP,Pesan\n081200000009,Halo\n')
  await take(clock)
  expect(inside(folder)).toEqual({ '': ['two.csv'], sent: ['one.csv', 'three.csv'], failed: [] })
  expect(await tables(app), 'nothing of it is kept meanwhile').toHaveLength(2)
  await clock.advance(24 * HOUR)
  await take(clock)
  await clock.advance(10_000)
  await sent(app, 6)
  expect([inside(folder)[''], (await view(app)).problem]).toEqual([[], null])
})

test.each(['new', 'accepted'] as const)(
  'an end of the program while its row is %s sends each row once',
  async (status) => {
    const { app, clock, folder } = await openPaused()
    put(folder, 'tagihan.csv', `${BILLS}x;Umar;Halo\r\n`)
    await take(clock)
    await clock.advance(10_000)
    await sent(app, 2)
    const [table] = await tables(app)
    // As it is on disk when the power fails before the file is moved.
    await drops(app).change(table?.id ?? '', { status, movedAs: null })
    renameSync(join(folder, 'sent/tagihan.csv'), join(folder, 'tagihan.csv'))
    unlinkSync(join(folder, 'sent/tagihan.csv.txt'))
    await app.restart()
    await clock.scheduled(LOOK)
    await take(clock)
    expect([(await messages(app)).length, await tables(app)]).toMatchObject([2, [{ id: table?.id }]])
    expect(inside(folder)).toEqual({ '': [], sent: ['tagihan.csv', 'tagihan.csv.txt'], failed: [] })
    expect(await drops(app).list(9, 'unfinished')).toEqual([])

    // The same, and somebody took the file away meanwhile: it is known when it is back.
    await drops(app).change(table?.id ?? '', { status, movedAs: null })
    await take(clock)
    put(folder, 'tagihan.csv', `${BILLS}x;Umar;Halo\r\n`)
    await take(clock)
    expect([(await messages(app)).length, (await files(app))[0]]).toEqual([2, ['tagihan.csv', 'sent_before']])
  },
)

test('an end of the program before the table was confirmed sends it after the start', async () => {
  const { app, clock, folder } = await openPaused()
  const digest = hash('sha256', `tagihan.csv\0${hash('sha256', BILLS)}`)
  const row = { id: '019ab000-0000-7000-8000-000000000001', at: clock.now(), digest, name: 'tagihan.csv' }
  await drops(app).add({
    ...{ ...row, status: 'new', movedAs: null, reason: null, phone: null, reference: null, rows: 2 },
  })
  // And half of its rows were written.
  const half = { id: row.id, name: 'tagihan.csv', columns: ['Nomor'], state: 'reading' as const, rows: 2, createdAt: 1 }
  await tablesIn(app).add(half, 9)
  await tablesIn(app).addLines(row.id, [{ row: 1, line: 2, cells: ['081200000001'] }])
  put(folder, 'tagihan.csv', BILLS)
  await app.restart()
  await clock.scheduled(LOOK)
  await take(clock)
  await clock.advance(10_000)
  await sent(app, 2)
  expect(await tables(app)).toMatchObject([{ id: row.id }])
  expect([inside(folder).sent, existsSync(join(folder, 'failed/tagihan.csv'))]).toEqual([['tagihan.csv'], false])
})

/** A table of the folder that is being sent, but of which the sender, which is paused, has sent nothing. */
async function openTaken() {
  const opened = await openPaused()
  const { app, clock, folder } = opened
  put(folder, 'tagihan.csv', BILLS)
  await take(clock)
  const [table] = await tables(app)
  const act = (action: string) => app.owner(`/api/tables/${table?.id}/action`, { body: { action } })
  return { ...opened, id: table?.id ?? '', act, again: () => putAgain(folder, clock) }
}

async function putAgain(folder: string, clock: TestClock): Promise<void> {
  put(folder, 'tagihan.csv', BILLS)
  await take(clock)
  await clock.advance(10_000)
}

const waiting = async (app: TestApp) => (await app.owner<Sent[]>('/messages?status=queued')).body.data.length

async function cancel({ app, act }: Awaited<ReturnType<typeof openTaken>>): Promise<void> {
  for (const action of ['pause', 'cancel']) expect((await act(action)).status).toBe(200)
  await eventually(async () => (await waiting(app)) === 0)
  await eventually(async () => !(await tablesIn(app).list()).some(({ busy }) => busy))
}

test('a table that was undone is taken again, and cannot be sent from the window as well', async () => {
  const opened = await openTaken()
  const { app, id, act, again } = opened
  expect((await act('undo')).status).toBe(200)
  await again()
  await sent(app, 2)
  const [table, ...others] = await tables(app)
  expect([others, table?.id === id, (await files(app))[0]]).toEqual([[], false, ['tagihan.csv', 'taken']])
  await again()
  expect([await waiting(app), (await files(app))[0]]).toEqual([2, ['tagihan.csv', 'sent_before']])
})

test.each(['the owner has removed', 'a crash has left removed'])(
  'an undone table that %s is taken again',
  async (how) => {
    const { app, clock, folder, id, act, again } = await openTaken()
    await app.owner('/api/drop-folder', { method: 'PATCH', body: { daily_limit: 2 } })
    expect((await act('undo')).status).toBe(200)
    if (how === 'the owner has removed')
      expect((await app.owner(`/api/tables/${id}`, { method: 'DELETE' })).status).toBe(200)
    else {
      // The power fails before anything is written after it.
      expect(await tablesIn(app).remove(id)).toBe(true)
      await app.restart()
      await clock.scheduled(LOOK)
    }
    await putAgain(folder, clock)
    await sent(app, 2)
    await again()
    expect([await waiting(app), (await files(app))[0]]).toEqual([2, ['tagihan.csv', 'sent_before']])
  },
)

test.each(['undone', 'undone and removed'])(
  'a file that could not be moved before its table was %s sends nothing after a start',
  async (how) => {
    const { app, clock, folder, id, act, again } = await openTaken()
    await drops(app).change(id, { status: 'accepted', movedAs: null })
    renameSync(join(folder, 'sent/tagihan.csv'), join(folder, 'tagihan.csv'))
    expect((await act('undo')).status).toBe(200)
    if (how === 'undone and removed')
      expect((await app.owner(`/api/tables/${id}`, { method: 'DELETE' })).status).toBe(200)
    await app.restart()
    await clock.scheduled(LOOK)
    await take(clock)
    await clock.advance(10_000)
    expect([inside(folder), await messages(app)]).toEqual([{ '': [], sent: ['tagihan.csv'], failed: [] }, []])
    // Put there once more, it is meant.
    await again()
    await sent(app, 2)
  },
)

test('a table that was cancelled before anything was sent is taken again, also after a crash', async () => {
  const opened = await openTaken()
  const { app, clock, folder, id, again } = opened
  await clock.advance(10_000)
  await sent(app, 2)
  await cancel(opened)
  // The power fails after it was forgotten, before it was taken once more.
  await drops(app).change(id, { digest: null, rows: 0 })
  put(folder, 'tagihan.csv', BILLS)
  await app.restart()
  await clock.scheduled(LOOK)
  await take(clock)
  await clock.advance(10_000)
  await eventually(async () => (await waiting(app)) === 2)
  await again()
  expect([await waiting(app), (await files(app))[0]]).toEqual([2, ['tagihan.csv', 'sent_before']])
})

test('the rows of a cancelled table count for no limit', async () => {
  const opened = await openTaken()
  const { app, clock, again } = opened
  await app.owner('/api/drop-folder', { method: 'PATCH', body: { daily_limit: 3 } })
  await clock.advance(10_000)
  await sent(app, 2)
  await cancel(opened)
  await again()
  await eventually(async () => (await waiting(app)) === 2)
})

test.each(['tried', 'without its mark', 'sent again', 'gone'])(
  'a cancelled table with a message that is %s is not taken again',
  async (what) => {
    const opened = await openTaken()
    const { app, clock, folder, id, again } = opened
    const { store } = app.app
    await clock.advance(10_000)
    await sent(app, 2)
    const [line] = await tablesIn(app).lines(id, 0, 1)
    const message = line?.messageId ?? ''
    const mark = { row: 1, tries: 0, messageId: message, refusal: null, taken: false }
    if (what === 'tried') await store.messages.change({ id: message }, () => ({ status: 'sent', at: clock.now() }))
    // A crash between the message and the mark of its row: nothing takes it back.
    if (what === 'without its mark') await tablesIn(app).mark(id, [{ ...mark, messageId: null }])
    await opened.act('pause')
    await opened.act('cancel')
    await eventually(async () => !(await tablesIn(app).list()).some(({ busy }) => busy))
    if (what === 'sent again')
      expect((await app.owner(`/api/messages/${message}/retry`, { body: {} })).status).toBe(200)
    if (what === 'gone')
      await tablesIn(app).mark(id, [{ ...mark, messageId: '019ab000-0000-7000-8000-000000000009', tries: 5 }])
    const before = await waiting(app)
    await again()
    expect([await waiting(app), (await files(app))[0]]).toEqual([before, ['tagihan.csv', 'sent_before']])
    expect(inside(folder).failed).toEqual(['tagihan.csv', 'tagihan.csv.txt'])
  },
)
