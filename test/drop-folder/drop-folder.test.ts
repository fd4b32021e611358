import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { UpdateDropFolder } from '../../server/slices/drop-folder/contract.ts'
import { listFiles, openPlaces } from '../../server/slices/drop-folder/folder.ts'
import { createDropStore } from '../../server/slices/drop-folder/store.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { samples } from '../support/samples.ts'
import { change, concerns, inside, LOOK, look, open, put, take, view } from './world.ts'

const drops = ({ app }: TestApp) => createDropStore(app.store.statements)

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const files = async (app: TestApp) =>
  (await view(app)).files.map(({ name, status, reason }) => [name, reason ?? status]).toSorted()
interface Sent {
  id: string
  recipient: string
  reference_id: string | null
}
const messages = async (app: TestApp) => (await app.owner<Sent[]>('/messages?limit=200')).body.data

test('a file is sent once, with its reference and the text, and moved; the same one again is not', async () => {
  const { app, clock, folder } = await open({ text: 'Faktur {reference} dari {sender}' })
  put(folder, '6281234567890 INV-1001.pdf')
  await take(clock)
  const [sent, ...others] = await messages(app)
  expect([sent?.recipient, sent?.reference_id, others]).toEqual(['6281234567890', 'INV-1001', []])
  expect(await app.message(sent?.id ?? '')).toMatchObject({
    filename: 'INV-1001.pdf',
    body: 'Faktur INV-1001 dari Sandbox',
  })
  expect(inside(folder)).toEqual({ '': [], sent: ['6281234567890 INV-1001.pdf'], failed: [] })

  put(folder, '6281234567890 INV-1001.pdf')
  await take(clock)
  const failed = ['6281234567890 INV-1001.pdf', '6281234567890 INV-1001.pdf.txt']
  expect(inside(folder)).toEqual({ '': [], sent: ['6281234567890 INV-1001.pdf'], failed })
  expect(readFileSync(join(folder, 'failed', failed[1] ?? ''), 'utf8')).toMatch(/taken before.*another name/s)
  expect(await concerns(app)).toEqual(['drop_files_failed'])

  // The name again, with other content: another invoice.
  put(folder, '6281234567890 INV-1001.pdf', Buffer.concat([samples.pdf, Buffer.from('\n')]))
  for (const name of failed) unlinkSync(join(folder, 'failed', name))
  await take(clock)
  expect(await messages(app)).toHaveLength(2)
  expect(inside(folder).sent).toEqual(['6281234567890 INV-1001 (2).pdf', '6281234567890 INV-1001.pdf'])
  expect(await concerns(app), 'the owner has seen to it').toEqual([])
})

test('nothing leaves before it is switched on, and nothing after it is switched off', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const folder = temporaryFolder()
  expect(await view(app)).toMatchObject({ on: false, folder: null, files: [] })
  expect((await change(app, { on: true })).body.error.code).toBe('conflict')
  await change(app, { folder, sender_code: SANDBOX })
  put(folder, '6281234567890 A.pdf')
  await clock.advance(MINUTE)
  expect([await messages(app), inside(folder)['']]).toEqual([[], ['6281234567890 A.pdf']])
  await change(app, { on: true })
  await clock.scheduled(LOOK)
  await take(clock)
  expect(await messages(app)).toHaveLength(1)
  await change(app, { on: false })
  put(folder, '6281234567890 B.pdf')
  await clock.advance(MINUTE)
  expect([(await messages(app)).length, inside(folder)['']]).toEqual([1, ['6281234567890 B.pdf']])
})

test('what is refused lies in failed, with the reason in the language of the owner', async () => {
  const { app, clock, folder } = await open({ text: '{referensi}' })
  await app.owner('/api/settings', { method: 'PATCH', body: { language: 'id' } })
  const each: [string, string, Buffer | string][] = [
    ['6281234567890 a.docx', 'not_this_kind', samples.pdf],
    ['6281234567890 program.pdf', 'not_this_kind', 'MZ\x90\0 not what its name says'],
    ['6281234567890 x\u0007y.pdf', 'bad_name', samples.pdf],
    ['6281234567890.pdf', 'no_reference', samples.pdf],
    ['0812-3456-7890 INV.pdf', 'no_country_code', samples.pdf],
    ['Laporan.pdf', 'no_number', samples.pdf],
  ]
  for (const [name, , content] of each) put(folder, name, content)
  await take(clock)
  expect(await files(app)).toEqual(each.map(([name, reason]) => [name, reason]).toSorted())
  expect(await messages(app)).toEqual([])
  expect(inside(folder)).toMatchObject({ '': [], sent: [] })
  expect(readFileSync(join(folder, 'failed/Laporan.pdf.txt'), 'utf8')).toContain(
    'Nama file tidak diawali nomor telepon',
  )
  expect(existsSync(join(folder, 'failed/6281234567890 xy.pdf.txt')), 'its name is cleaned').toBe(true)
  expect((await view(app)).failed).toBe(each.length)

  // Corrected, and put back.
  renameSync(join(folder, 'failed/Laporan.pdf'), join(folder, '6281234567890 Laporan.pdf'))
  await take(clock)
  expect(await messages(app)).toMatchObject([{ reference_id: 'Laporan' }])
})

test('a file that grows waits; hidden ones, parts and folders are left alone; one that vanishes is no trouble', async () => {
  const { app, clock, folder } = await open()
  mkdirSync(join(folder, '6281234567890 folder.pdf'))
  for (const name of ['.hidden.pdf', '6281234567890 B.pdf.part', '~$6281234567890.pdf']) put(folder, name)
  const growing = join(folder, '6281234567890 A.pdf')
  put(folder, '6281234567890 A.pdf', samples.pdf.subarray(0, 20))
  put(folder, '6281234567890 gone.pdf')
  for (let n = 0; n < 4; n += 1) {
    await look(clock, 2)
    appendFileSync(growing, '%')
    if (n === 0) unlinkSync(join(folder, '6281234567890 gone.pdf'))
  }
  expect(await messages(app)).toEqual([])
  appendFileSync(growing, samples.pdf.subarray(20))
  await take(clock)
  expect((await messages(app)).map(({ reference_id }) => reference_id)).toEqual(['A'])
  await take(clock)
  expect([await messages(app), (await view(app)).problem]).toMatchObject([[{ reference_id: 'A' }], null])
  expect(inside(folder)['']).toHaveLength(4)
})

test('an empty file may be filled for ten minutes', async () => {
  const { app, clock, folder } = await open()
  put(folder, '6281234567890 late.pdf', '')
  put(folder, '6281234567890 never.pdf', '')
  await look(clock, 20)
  expect(await files(app)).toEqual([])
  put(folder, '6281234567890 late.pdf')
  await look(clock, 200)
  expect(await files(app)).toMatchObject([
    ['6281234567890 late.pdf', expect.any(String)],
    ['6281234567890 never.pdf', 'empty'],
  ])
  expect(await messages(app)).toHaveLength(1)
})

test('links lead nowhere: neither a file from elsewhere is sent, nor is one written elsewhere', async () => {
  const { app, clock, folder } = await open()
  const elsewhere = temporaryFolder()
  const secret = join(elsewhere, 'secret.pdf')
  writeFileSync(secret, samples.pdf)
  symlinkSync(secret, join(folder, '6281234567890 soft.pdf'))
  linkSync(secret, join(folder, '6281234567890 hard.pdf'))
  execFileSync('mkfifo', [join(folder, '6281234567890 pipe.pdf')])
  writeFileSync(join(elsewhere, 'why.txt'), 'mine')
  symlinkSync(join(elsewhere, 'why.txt'), join(folder, 'failed/nobody.pdf.txt'))
  put(folder, 'nobody.pdf')
  await take(clock)
  expect(await messages(app)).toEqual([])
  expect(Object.fromEntries(await files(app))).toEqual({
    '6281234567890 hard.pdf': 'link',
    '6281234567890 pipe.pdf': 'link',
    '6281234567890 soft.pdf': 'link',
    'nobody.pdf': 'no_number',
  })
  expect(readFileSync(join(elsewhere, 'why.txt'), 'utf8')).toBe('mine')
  expect(readFileSync(join(folder, 'failed/nobody.pdf.txt'), 'utf8')).toContain('phone number')

  // A folder below is exchanged for a link.
  rmSync(join(folder, 'sent'), { recursive: true })
  symlinkSync(elsewhere, join(folder, 'sent'))
  put(folder, '6281234567890 A.pdf')
  await take(clock)
  expect(readdirSync(elsewhere).toSorted()).toEqual(['secret.pdf', 'why.txt'])
  expect([await messages(app), await concerns(app)]).toEqual([[], ['drop_folder_away', 'drop_files_failed']])
  unlinkSync(join(folder, 'sent'))
  await take(clock)
  expect(inside(folder).sent).toEqual(['6281234567890 A.pdf'])
  expect(await messages(app)).toHaveLength(1)
})

test('a name that is no text is told, and stops nothing else', async () => {
  const { app, clock, folder } = await open()
  writeFileSync(
    Buffer.concat([Buffer.from(`${folder}/6281234567890 `), Buffer.from([0xff, 0xfe]), Buffer.from('.pdf')]),
    'x',
  )
  put(folder, '6281234567890 A.pdf')
  await take(clock)
  expect(await view(app)).toMatchObject({ problem: 'stuck', waiting: 1 })
  expect([(await messages(app)).length, await concerns(app)]).toEqual([1, ['drop_folder_stopped']])
})

test('a folder that goes away is told, and goes on when it is back; an empty place in its stead gets nothing', async () => {
  const { app, clock, folder } = await open()
  renameSync(folder, `${folder}-away`)
  put(`${folder}-away`, '6281234567890 A.pdf')
  await look(clock)
  expect([(await view(app)).problem, await concerns(app)]).toEqual(['away', ['drop_folder_away']])
  mkdirSync(folder)
  put(folder, '6281234567890 other.pdf')
  await take(clock)
  expect([await concerns(app), readdirSync(folder)]).toEqual([['drop_folder_away'], ['6281234567890 other.pdf']])
  rmSync(folder, { recursive: true })
  renameSync(`${folder}-away`, folder)
  await take(clock)
  expect([await concerns(app), (await messages(app)).map(({ reference_id }) => reference_id)]).toEqual([[], ['A']])
  // An owner who tidies up takes no folder away.
  rmSync(join(folder, 'sent'), { recursive: true })
  put(folder, '6281234567890 B.pdf')
  await take(clock)
  expect(inside(folder)).toEqual({ '': [], sent: ['6281234567890 B.pdf'], failed: [] })
})

test.each(['new', 'accepted'] as const)('an end of the program while its row is %s sends once', async (status) => {
  const { app, clock, folder } = await open()
  put(folder, '6281234567890 A.pdf')
  await take(clock)
  const [sent] = await messages(app)
  // As it is on disk when the power fails before the file is moved.
  await drops(app).change(sent?.id ?? '', { status, movedAs: null })
  renameSync(join(folder, 'sent/6281234567890 A.pdf'), join(folder, '6281234567890 A.pdf'))
  await app.restart()
  await clock.scheduled(LOOK)
  await take(clock)
  expect(await messages(app)).toMatchObject([{ id: sent?.id }])
  expect(inside(folder)).toEqual({ '': [], sent: ['6281234567890 A.pdf'], failed: [] })
  expect(await drops(app).list(9, 'unfinished')).toEqual([])
  expect(readdirSync(join(app.home, 'files')), 'its second copy is gone').toHaveLength(1)

  // The same, and somebody took the file away meanwhile.
  await drops(app).change(sent?.id ?? '', { status, movedAs: null })
  await take(clock)
  expect([await messages(app), await drops(app).list(9, 'unfinished')]).toMatchObject([[{ id: sent?.id }], []])
})

test('a file whose move could not be noted does not stay in sent when its message fails', async () => {
  const { app, clock, folder } = await open()
  const makeRoom = await app.disk.fullWith({ event: 'UPDATE', table: 'drops', when: `NEW.status = 'moved'` })
  put(folder, '6281234560001 A.pdf')
  await take(clock)
  expect(inside(folder)).toEqual({ '': [], sent: ['6281234560001 A.pdf'], failed: [] })
  const [sent] = await messages(app)
  await app.reached(sent?.id ?? '', 'failed')
  await makeRoom()
  await look(clock, 2)
  expect(inside(folder)).toEqual({ '': [], sent: [], failed: ['6281234560001 A.pdf', '6281234560001 A.pdf.txt'] })
})

test('an end of the program before the message was accepted sends it after the start', async () => {
  const { app, clock, folder } = await open()
  const name = '6281234567890 A.pdf'
  const digest = hash('sha256', `${name}\0${hash('sha256', samples.pdf)}`)
  const row = { id: '019ab000-0000-7000-8000-000000000001', at: clock.now(), digest, name, movedAs: null }
  // As it is on disk when the power fails right after the row was written.
  await drops(app).add({
    ...row,
    status: 'new',
    reason: null,
    phone: '6281234567890',
    reference: 'A',
    rows: null,
  })
  put(folder, name)
  await app.restart()
  await clock.scheduled(LOOK)
  await take(clock)
  expect(await messages(app)).toMatchObject([{ id: row.id, reference_id: 'A' }])
  expect(inside(folder).sent).toEqual([name])
})

test('files above the limit of a day wait for the next one', async () => {
  const { app, clock, folder } = await open({ daily_limit: 2 })
  for (const n of [1, 2, 3]) put(folder, `628123456789${n} INV-${n}.pdf`)
  await take(clock)
  expect([(await messages(app)).length, await concerns(app)]).toEqual([2, ['drop_limit']])
  expect(await view(app)).toMatchObject({ problem: 'limit', waiting: 1 })
  // After a day they would be too old to leave.
  for (const { id } of await messages(app)) await app.reached(id, 'sent', 'delivered', 'read')
  await clock.advance(24 * HOUR)
  await look(clock, 3)
  expect([(await messages(app)).length, await concerns(app)]).toEqual([3, []])
})

test('a file whose message fails does not stay in sent, and may come again', async () => {
  const { app, clock, folder } = await open()
  put(folder, '6281234560001 A.pdf')
  await take(clock)
  const [sent] = await messages(app)
  await app.reached(sent?.id ?? '', 'failed')
  await look(clock, 2)
  expect(inside(folder)).toEqual({ '': [], sent: [], failed: ['6281234560001 A.pdf', '6281234560001 A.pdf.txt'] })
  expect(readFileSync(join(folder, 'failed/6281234560001 A.pdf.txt'), 'utf8')).toContain('The message failed')
  expect(await files(app)).toEqual([['6281234560001 A.pdf', 'failed']])
  renameSync(join(folder, 'failed/6281234560001 A.pdf'), join(folder, '6281234560001 A.pdf'))
  await take(clock)
  expect(await messages(app)).toHaveLength(2)
})

test('a sender that is gone, and a full place for files, hold the folder as it is', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const folder = join(temporaryFolder(), 'kirim')
  const code = await app.sender('sandbox')
  await change(app, { folder, sender_code: code, on: true })
  await clock.scheduled(LOOK)
  await app.owner(`/api/senders/${code}`, { method: 'DELETE' })
  put(folder, '6281234567890 A.pdf')
  await take(clock)
  expect([(await view(app)).problem, await concerns(app)]).toEqual(['no_sender', ['drop_folder_stopped']])
  await app.owner('/api/settings', { method: 'PATCH', body: { files_quota_mb: 100 } })
  await change(app, { sender_code: SANDBOX })
  put(folder, '6281234567890 big.pdf', Buffer.concat([samples.pdf, Buffer.alloc(101 * 1024 * 1024)]))
  await take(clock)
  await take(clock)
  expect(Object.fromEntries(await files(app))).toMatchObject({ '6281234567890 big.pdf': 'too_large' })
  expect(await messages(app)).toHaveLength(1)
})

test('hundreds of files go, each once, the oldest ones first', async () => {
  const { app, clock, folder } = await open({ daily_limit: 5_000 })
  const count = 620
  // The last digits decide what the sandbox plays.
  for (let n = 0; n < count; n += 1) put(folder, `62812${String(n).padStart(6, '0')}77 INV-${n}.pdf`)
  await look(clock, 9)
  expect(inside(folder)).toMatchObject({ '': [], failed: [] })
  expect(inside(folder).sent).toHaveLength(count)
  expect(await drops(app).takenSince(0)).toBe(count)
  const rows = await drops(app).list(1_000)
  for (const { id, phone } of rows) expect((await app.message(id)).recipient).toBe(phone)
})

test('files that cannot be moved do not stop those behind them', async () => {
  const { app, clock, folder } = await open()
  const stuck = ['one.pdf', 'two.pdf', 'three.pdf']
  for (const name of stuck) {
    put(folder, name)
    // The place of the text that says why.
    mkdirSync(join(folder, 'failed', `${name}.txt`))
  }
  await take(clock)
  await look(clock)
  put(folder, '6281234567890 INV-1.pdf')
  await take(clock)
  expect(await messages(app)).toMatchObject([{ reference_id: 'INV-1' }])
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(stuck))
})

test('more files than one look takes hide no others, where they could not be taken so far', async () => {
  const { folder } = await open()
  const heldUp = new Set(Array.from({ length: 520 }, (_, n) => `${n}.pdf`))
  for (const name of [...heldUp, '6281234567890 INV-1.pdf']) put(folder, name)
  const places = await openPlaces(folder)
  try {
    expect((await listFiles(places, () => false)).files).toHaveLength(500)
    const { files } = await listFiles(places, (name) => heldUp.has(name))
    expect(files.map(({ name }) => name)).toContain('6281234567890 INV-1.pdf')
    expect(files).toHaveLength(521)
  } finally {
    await places.close()
  }
})

test('a file with the longest name that the disk takes is moved, with the text that says why', async () => {
  const { app, clock, folder } = await open()
  const name = `${'字'.repeat(83)}.pdf`
  put(folder, name)
  await take(clock)
  expect(await files(app)).toEqual([[name, 'no_number']])
  expect(readdirSync(join(folder, 'failed'))).toHaveLength(2)
})

test('the text that says why takes the place of nothing that was dropped', async () => {
  const { clock, folder } = await open()
  put(folder, 'nobody.pdf.txt', 'mine')
  await take(clock)
  put(folder, 'nobody.pdf')
  await take(clock)
  expect(inside(folder)['']).toEqual([])
  expect(inside(folder).failed).toEqual([
    'nobody (2).pdf',
    'nobody (2).pdf.txt',
    'nobody.pdf.txt',
    'nobody.pdf.txt.txt',
  ])
  expect(readFileSync(join(folder, 'failed/nobody.pdf.txt'), 'utf8')).toBe('mine')
})

test('only an empty folder that Kurir may write to becomes the drop folder', async () => {
  const app = await startApp()
  const folder = temporaryFolder()
  const problemOf = async (body: UpdateDropFolder) => (await change(app, body)).body.error?.details?.[0]?.code
  put(folder, 'holiday.jpg')
  expect(await problemOf({ folder })).toBe('folder_not_empty')
  expect(await problemOf({ folder: 'kirim' })).toBe('not_a_whole_path')
  expect(await problemOf({ folder: join(folder, 'no/such') })).toBe('no_such_folder')
  expect(await problemOf({ folder: join(folder, 'holiday.jpg') })).toBe('no_such_folder')
  expect(await problemOf({ folder: join(folder, 'x'.repeat(300)) })).toBe('no_such_folder')
  expect(await problemOf({ folder: join(app.home, 'kirim') })).toBe('folder_of_kurir')
  expect(await problemOf({ folder: join(app.home, '..') })).toBe('folder_of_kurir')
  expect(await problemOf({ sender_code: 'SND-NONE' })).toBe('no_such_sender')
  expect(await problemOf({ text: 'Dear {name}' })).toBe('unknown_words')
  expect(await problemOf({ daily_limit: 0 })).toBe('too_small')
  expect(await view(app)).toMatchObject({ folder: null, sender_code: null, text: '', on: false })
})

test.runIf(process.platform === 'linux')('where a file was moved is on disk before it counts as moved', async () => {
  const { app, clock, folder } = await open()
  const synced: string[] = []
  await using handle = await openFile(folder, 'r')
  const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementation(async function (this: FileHandle) {
    if ((await drops(app).list(1, 'unfinished')).length > 0) synced.push(readlinkSync(`/proc/self/fd/${this.fd}`))
  })
  onTestFinished(() => sync.mockRestore())
  put(folder, '6281234567890 INV-1.pdf')
  await take(clock)
  expect(inside(folder)).toMatchObject({ '': [], sent: ['6281234567890 INV-1.pdf'] })
  expect(synced).toEqual(expect.arrayContaining([folder, join(folder, 'sent')]))
})

test.runIf(process.platform === 'linux')('a drive that does not answer holds up no other folder', async () => {
  const { app, clock, folder } = await open()
  const hanging = join(temporaryFolder(), 'kirim')
  for (const name of ['', 'sent', 'failed']) mkdirSync(join(hanging, name))
  const probe = join(hanging, 'failed', `.kurir-${process.pid}`)
  // Whoever opens it waits, as with a share whose server is gone.
  execFileSync('mkfifo', [probe])
  const choosing = change(app, { folder: hanging })
  await clock.scheduled(30_000)
  await clock.advance(30_000)
  expect(await choosing).toMatchObject({ status: 400, text: expect.stringContaining('does not answer') })
  expect((await change(app, { folder: hanging })).status, 'it owes an answer').toBe(400)
  // Its own opening may still be on its way.
  await (await openFile(probe, 'r')).close()
  // Now a look of its own does not end.
  const hangs = Promise.withResolvers<void>()
  vi.spyOn(app.app.store.uploads, 'add').mockImplementationOnce(() => {
    hangs.resolve()
    return new Promise(() => {})
  })
  put(folder, '6281234567890 INV-1.pdf')
  let isLooking = true
  void hangs.promise.then(() => (isLooking = false))
  while (isLooking) {
    await Promise.race([clock.scheduled(LOOK), hangs.promise])
    await clock.advance(LOOK)
  }
  const other = join(temporaryFolder(), 'kirim')
  const changed = change(app, { folder: other })
  await clock.scheduled(5_000)
  await clock.advance(5_000)
  expect((await changed).status).toBe(200)
  put(other, '6281234567890 INV-2.pdf')
  await take(clock)
  expect(inside(other)).toMatchObject({ '': [], sent: ['6281234567890 INV-2.pdf'] })
})

test('files are forgotten with the messages, and after 30 days', async () => {
  const { app, clock, folder } = await open()
  put(folder, '6281234567890 A.pdf')
  await take(clock)
  await clock.advance(29 * 24 * HOUR)
  await look(clock)
  expect(await drops(app).list(5)).toHaveLength(1)
  await clock.advance(24 * HOUR + HOUR)
  await look(clock)
  expect(await drops(app).list(5)).toEqual([])
})
