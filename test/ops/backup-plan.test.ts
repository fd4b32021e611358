import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Concern } from '../../server/contract/concerns.ts'
import type { BackupPlanView, EmergencySheet } from '../../server/slices/backup/contract.ts'
import { superfluous } from '../../server/slices/backup/folder.ts'
import { OWNER_TOKEN, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { samples } from '../support/samples.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const view = async (app: TestApp) => (await app.owner<BackupPlanView>('/api/backup/plan')).body.data
const choose = (app: TestApp, folder: string | null) =>
  app.owner<BackupPlanView>('/api/backup/plan', { method: 'PATCH', body: { folder } })
const runNow = (app: TestApp) => app.owner<BackupPlanView>('/api/backup/plan/run', { method: 'POST' })
const sheet = async (app: TestApp) => (await app.owner<EmergencySheet>('/api/backup/sheet')).body.data
const concerns = async (app: TestApp) => {
  const { body } = await app.owner<{ concerns: Concern[] }>('/api/overview')
  return body.data.concerns.filter(({ code }) => code.startsWith('backup_'))
}
const backupsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.kurirbackup'))
/** Waits until so many backups are there and none is under way. */
const made = (app: TestApp, count: number) =>
  expect.poll(async () => view(app), { interval: 20 }).toMatchObject({ running: false, files: { length: count } })

async function sendWithFile(app: TestApp): Promise<string> {
  const form = new FormData()
  const fields = { phone: '6281234567890', message: 'Faktur', sender_code: SANDBOX, delay: '1' }
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([samples.pdf]), 'inv.pdf')
  const headers = { authorization: `Bearer ${OWNER_TOKEN}` }
  const answer = await fetch(`${app.url}/send`, { method: 'POST', headers, body: form })
  return ((await answer.json()) as { data: { id: string } }).data.id
}

test('a folder gets its first backup at once; another PC goes on from it with the key of the sheet and the waiting file', async () => {
  const app = await startApp()
  const folder = join(temporaryFolder(), 'new')
  expect((await app.owner('/api/backup/sheet')).status, 'without a folder there is no key').toBe(409)
  const id = await sendWithFile(app)
  await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
  expect((await choose(app, folder)).body).toMatchObject({ success: true, data: { folder } })
  await made(app, 1)
  const { last, files, next_at, failed } = await view(app)
  expect(failed).toBeNull()
  expect(files).toEqual([{ name: last?.file, at: expect.any(String), bytes: last?.bytes }])
  expect(Date.parse(next_at ?? '') - Date.parse(last?.at ?? '')).toBe(DAY)
  const { key } = await sheet(app)
  expect(key).toMatch(/^([a-z2-9]{5}-){4}[a-z2-9]{5}$/)
  expect(readdirSync(folder).join(), 'the key lies nowhere beside the backup').not.toContain(key)
  expect(readFileSync(join(folder, 'kurir-backups.txt'), 'utf8')).not.toContain(key)

  const fresh = await startApp()
  const restored = await fresh.owner('/api/restore', {
    body: readFileSync(join(folder, last?.file ?? '')),
    headers: {
      'content-type': 'application/octet-stream',
      'x-passphrase': ` ${key.toUpperCase().replaceAll('-', '%20')}`,
    },
  })
  expect(restored.status, restored.text).toBe(200)
  await fresh.restart()
  expect(await sheet(fresh), 'it goes on with the same folder and key').toMatchObject({ key, folder })
  expect((await runNow(fresh)).body.data.folder, 'the folder knows this Kurir').toBe(folder)
  await fresh.owner(`/api/senders/${SANDBOX}/resume`, { method: 'POST' })
  await fresh.reached(id, 'read')
})

test('one a day, by when the last one was made, also after a start', async () => {
  const clock = createTestClock()
  const home = temporaryFolder()
  const app = await startApp({ clock, home })
  const folder = temporaryFolder()
  await choose(app, folder)
  await made(app, 1)
  await clock.advance(DAY - 30 * MINUTE)
  await app.restart()
  await clock.advance(2 * MINUTE)
  expect((await view(app)).files).toHaveLength(1)
  await clock.advance(40 * MINUTE)
  await made(app, 2)
  await app.close()
  await clock.advance(3 * DAY)
  const later = await startApp({ clock, home })
  await clock.advance(2 * MINUTE)
  await made(later, 3)
})

test('of seven days and four weeks the newest one is kept', () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime()
  const days = Array.from({ length: 60 }, (_, day) => [at(26 - day, 8), at(26 - day, 20)]).flat()
  const files = days.map((moment) => ({ name: new Date(moment).toISOString(), at: moment, bytes: 0 }))
  const gone = new Set(superfluous(files))
  const kept = files.filter(({ name }) => !gone.has(name)).map((file) => new Date(file.at))
  // 26 November 2026 is a Thursday: the Sundays before it end their weeks.
  expect(kept.map((date) => `${date.getMonth() + 1}-${date.getDate()}T${date.getHours()}`)).toEqual([
    '11-26T20',
    '11-25T20',
    '11-24T20',
    '11-23T20',
    '11-22T20',
    '11-21T20',
    '11-20T20',
    '11-15T20',
    '11-8T20',
  ])
})

test('a backup that was just made is kept, also while the clock of this PC is set back', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const folder = temporaryFolder()
  await choose(app, folder)
  await made(app, 1)
  // Others are newer by their names, and fill every day and week.
  for (let day = 1; day <= 40; day += 1) {
    const date = new Date(clock.now() + day * DAY).toISOString().slice(0, 10)
    writeFileSync(join(folder, `kurir-${date}-080000.kurirbackup`), 'x')
  }
  const { last } = (await runNow(app)).body.data
  expect(backupsIn(folder)).toContain(last?.file)
})

test('a clock that was set back puts no backup off, nor the time that the plan names', async () => {
  const clock = createTestClock()
  const home = temporaryFolder()
  const app = await startApp({ clock, home })
  await choose(app, temporaryFolder())
  await made(app, 1)
  await app.close()
  const before = createTestClock(clock.now() - DAY)
  const again = await startApp({ clock: before, home })
  expect((await view(again)).next_at).toBe(new Date(before.now()).toISOString())
  await before.advance(2 * MINUTE)
  await made(again, 2)
})

test('a backup that was made is no failure because an older one cannot be removed', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const folder = temporaryFolder()
  for (let day = 1; day <= 40; day += 1) {
    const date = new Date(clock.now() - day * DAY).toISOString().slice(0, 10)
    // As one that another program has open, which Windows does not remove.
    mkdirSync(join(folder, `kurir-${date}-080000.kurirbackup`))
  }
  await choose(app, folder)
  await made(app, 41)
  const answer = await runNow(app)
  expect(answer.status, answer.text).toBe(200)
  expect((await view(app)).failed).toBeNull()
  expect(await concerns(app)).toEqual([])
})

test('what is cut off goes, and what is not of these backups stays', async () => {
  const app = await startApp()
  const folder = temporaryFolder()
  await choose(app, folder)
  await made(app, 1)
  const cut = 'kurir-2026-11-20-080000.kurirbackup.part'
  for (const name of [cut, 'mine.kurirbackup', 'notes.txt.part']) writeFileSync(join(folder, name), 'x')
  expect((await runNow(app)).status).toBe(200)
  expect(existsSync(join(folder, cut))).toBe(false)
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['mine.kurirbackup', 'notes.txt.part']))
})

test('a folder that is away, or another one in its place, is told and gets nothing', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const folder = join(temporaryFolder(), 'stick')
  await choose(app, folder)
  await made(app, 1)
  const before = backupsIn(folder)
  renameSync(folder, `${folder}-away`)
  mkdirSync(folder)
  expect((await runNow(app)).body).toMatchObject({ success: false, error: { code: 'conflict' } })
  expect(readdirSync(folder), 'the place where the drive is put in stays empty').toEqual([])
  expect(await view(app)).toMatchObject({ failed: { reason: 'away' }, last: { file: before[0] }, files: [] })
  expect(await concerns(app)).toMatchObject([{ code: 'backup_folder_away', weight: 'note', detail: folder }])
  await clock.advance(3 * DAY + 60 * MINUTE)
  expect(await concerns(app)).toMatchObject([{ code: 'backup_folder_away', weight: 'warning', count: 3 }])
  renameSync(folder, `${folder}-empty`)
  renameSync(`${folder}-away`, folder)
  await clock.advance(20 * MINUTE)
  await made(app, 2)
  expect(await concerns(app)).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'a drive that does not answer holds up neither the plan nor others',
  async () => {
    const clock = createTestClock()
    const app = await startApp({ clock })
    const folder = temporaryFolder()
    await choose(app, folder)
    await made(app, 1)
    const mark = join(folder, 'kurir-backups.txt')
    rmSync(mark)
    // Whoever opens it waits, as with a share whose server is gone.
    execFileSync('mkfifo', [mark])
    const first = view(app)
    await clock.scheduled(5_000)
    await clock.advance(5_000)
    for (const plan of [await first, await view(app), await view(app), await view(app)]) expect(plan.files).toEqual([])
    expect(await readdir(folder), 'a thread is free').toHaveLength(2)
    // It is back.
    await writeFile(mark, '')
  },
)

test.runIf(process.platform === 'linux')('a backup that waits for a drive is given up for another folder', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const [hanging, other] = [temporaryFolder(), temporaryFolder()]
  await choose(app, hanging)
  await made(app, 1)
  const mark = join(hanging, 'kurir-backups.txt')
  rmSync(mark)
  execFileSync('mkfifo', [mark])
  const underWay = runNow(app)
  const shown = view(app)
  await clock.scheduled(5_000)
  await clock.advance(5_000)
  await shown
  await eventually(async () => (await view(app)).running)
  const chosen = choose(app, other)
  await clock.scheduled(5_000)
  await clock.advance(5_000)
  expect((await chosen).body).toMatchObject({ success: true, data: { folder: other } })
  expect((await underWay).body).toMatchObject({ error: { code: 'conflict' } })
  await made(app, 1)
  await writeFile(mark, '')
  await made(app, 1)
  expect(await view(app)).toMatchObject({ failed: null, folder: other })
})

test.runIf(process.platform === 'linux')(
  'a drive that does not answer is not chosen, and ends nothing else',
  async () => {
    const clock = createTestClock()
    const app = await startApp({ clock })
    const [hanging, other] = [temporaryFolder(), temporaryFolder()]
    const mark = join(hanging, 'kurir-backups.txt')
    execFileSync('mkfifo', [mark])
    const choosing = choose(app, hanging)
    await clock.scheduled(30_000)
    await clock.advance(30_000)
    expect((await choosing).status).toBe(400)
    expect((await choose(app, other)).body).toMatchObject({ success: true, data: { folder: other } })
    await made(app, 1)
    await writeFile(mark, '')
  },
)

test('a folder that is chosen while a backup is under way gets one of its own', async () => {
  const app = await startApp()
  const [first, second] = [temporaryFolder(), temporaryFolder()]
  await choose(app, first)
  await made(app, 1)
  // A backup may be made before anybody sees it under way.
  let underWay = runNow(app)
  while (!(await view(app)).running) {
    await underWay
    underWay = runNow(app)
  }
  expect((await choose(app, second)).status).toBe(200)
  await underWay
  await made(app, 1)
  const { last, files } = await view(app)
  expect(files.map(({ name }) => name)).toEqual([last?.file])
  expect(readdirSync(first).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('a backup that is given up while it is checked is read no further', async () => {
  const app = await startApp()
  const temporary = temporaryFolder()
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const inside = () => readdirSync(temporary, { recursive: true, encoding: 'utf8' })
  await choose(app, temporaryFolder())
  const isChecked = () => inside().some((name) => name.startsWith('kurir-check-'))
  let underWay: Promise<unknown> | undefined
  await eventually(() => {
    if (isChecked()) return true
    // One may be checked before anybody sees it: then another one is.
    underWay ??= runNow(app).then(() => {
      underWay = undefined
    })
    return false
  })
  let isOver = false
  const off = choose(app, null).then(() => {
    isOver = true
  })
  await eventually(() => {
    expect(inside().filter((name) => name.endsWith('kurir.db'))).toEqual([])
    return isOver
  })
  await Promise.all([off, underWay])
})

test('a folder whose choice is cut off in the middle is not chosen, and owes its first backup', async () => {
  const app = await startApp()
  const [first, second] = [temporaryFolder(), temporaryFolder()]
  await choose(app, first)
  await made(app, 1)
  const makeRoom = await app.disk.fullWith({ event: 'UPDATE', table: 'meta', when: `NEW.name = 'backup_state'` })
  expect((await choose(app, second)).status).toBe(503)
  await makeRoom()
  expect((await view(app)).folder).toBe(first)
  await choose(app, second)
  await made(app, 1)
})

test('a folder that cannot be used is refused', async () => {
  const app = await startApp()
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  const refused = async (path: string, by = app) => {
    const { status, body } = await choose(by, path)
    return [status, (body as { error?: { details?: { code: string }[] } }).error?.details?.[0]?.code]
  }
  expect(await refused('relative')).toEqual([400, 'not_a_whole_path'])
  expect(await refused(join(folder, 'no', 'such'))).toEqual([400, 'no_such_folder'])
  expect(await refused(join(folder, 'file'))).toEqual([400, 'no_such_folder'])
  expect(await refused(join(folder, 'x'.repeat(300)))).toEqual([400, 'no_such_folder'])
  expect(await refused(join(app.home, 'inside'))).toEqual([400, 'folder_of_kurir'])
  expect((await view(app)).folder).toBeNull()
  await choose(app, folder)
  const other = await startApp()
  expect(await refused(folder, other), 'two would remove each other’s backups').toEqual([400, 'folder_taken'])
})

test.runIf(process.platform === 'linux')('a folder on a full disk is refused as that', async () => {
  const app = await startApp()
  const folder = temporaryFolder()
  symlinkSync('/dev/full', join(folder, 'kurir-backups.txt.new'))
  const { status, text } = await choose(app, folder)
  expect([status, text]).toEqual([400, expect.stringContaining('has no room left')])
  expect((await view(app)).folder).toBeNull()
})

test.each([0, 100])('a folder whose mark was cut off after %i bytes can be chosen again', async (bytes) => {
  const app = await startApp()
  const folder = temporaryFolder()
  await choose(app, folder)
  await made(app, 1)
  truncateSync(join(folder, 'kurir-backups.txt'), bytes)
  const answer = await choose(app, folder)
  expect(answer.status, answer.text).toBe(200)
  expect((await runNow(app)).body.data.failed).toBeNull()
})

/** A page that is free by the file's head, and is not: nothing of it is read as long as no number is linked. */
function breakSessions(home: string): void {
  const file = join(home, 'sessions.db')
  writeFileSync(file, readFileSync(file).fill(1, 39, 40))
}

test('a backup that does not open is not called one: the former stays, and it is told', async () => {
  const home = temporaryFolder()
  const sound = await startApp({ home })
  const folder = temporaryFolder()
  await choose(sound, folder)
  await made(sound, 1)
  const before = backupsIn(folder)
  await sound.close()
  breakSessions(home)
  const app = await startApp({ home })
  expect((await runNow(app)).status).not.toBe(200)
  expect(readdirSync(folder).sort()).toEqual([...before, 'kurir-backups.txt'].sort())
  expect(await view(app)).toMatchObject({ failed: { reason: 'failed' }, last: { file: before[0] } })
  expect(await concerns(app)).toMatchObject([{ code: 'backup_failed', weight: 'warning' }])
})

test('the plan says when one that failed is tried again', async () => {
  const home = temporaryFolder()
  await (await startApp({ home })).close()
  breakSessions(home)
  const clock = createTestClock()
  const app = await startApp({ home, clock })
  await choose(app, temporaryFolder())
  await expect.poll(() => view(app), { interval: 20 }).toMatchObject({ running: false, failed: { reason: 'failed' } })
  const { next_at, failed } = await view(app)
  expect(Date.parse(next_at ?? '') - Date.parse(failed?.at ?? '')).toBe(60 * MINUTE)
})

test('before an update one is made', async () => {
  const app = await startApp()
  await choose(app, temporaryFolder())
  await made(app, 1)
  const { last } = await view(app)
  app.app.updateReady('9.9.9')
  await expect.poll(async () => (await view(app)).last?.at).not.toBe(last?.at)
})

test('switched off, there are none, and the key stays for those that are there', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const folder = temporaryFolder()
  await choose(app, folder)
  await made(app, 1)
  const { key } = await sheet(app)
  await choose(app, null)
  await clock.advance(5 * DAY)
  expect([backupsIn(folder).length, await concerns(app)]).toEqual([1, []])
  expect(await sheet(app)).toMatchObject({ key, folder: null })
  const renewed = await app.owner('/api/backup/plan', { method: 'PATCH', body: { folder, new_key: true } })
  expect(renewed.status).toBe(200)
  expect((await sheet(app)).key).not.toBe(key)
  await made(app, 2)
})

test('a new key for what is saved is one for the emergency sheet too', async () => {
  const app = await startApp()
  const rotate = () => app.owner('/api/data-key/rotate', { method: 'POST' })
  expect((await rotate()).status).toBe(200)
  expect((await app.owner('/api/backup/sheet')).status).toBe(409)
  await choose(app, temporaryFolder())
  const { key } = await sheet(app)
  expect((await rotate()).status).toBe(200)
  expect((await sheet(app)).key).not.toBe(key)
})
