import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../server/lib/clock.ts'
import { type LocalFile, openLocalFile } from '../../server/media/local-file.ts'
import { createUploads } from '../../server/media/uploads.ts'
import { keepFile, withFile } from '../../server/messages/files.ts'
import { openTestStore } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { samples } from '../support/samples.ts'

// Linux and its like have a file that takes nothing, as a full disk does.
test.skipIf(!existsSync('/dev/full'))(
  'a file that the disk has no room for is 507, and nothing of it stays',
  async () => {
    const home = temporaryFolder()
    const store = await openTestStore({ home, now: Date.now, soon: 0 })
    onTestFinished(store.close)
    const folder = join(home, 'files')
    mkdirSync(folder)
    const ids = ['full', 'room']
    const newId = () => ids.shift() ?? ''
    const rows = { rows: store.uploads, shared: null }
    const uploads = createUploads({ folder, ...rows, quota: () => 1e9, newId, endTime: Date.now, clock: systemClock })
    symlinkSync('/dev/full', join(folder, 'full.part'))
    const upload = async () => {
      const content = (async function* () {
        yield samples.pdf
      })()
      return keepFile(uploads, { content, name: 'a.pdf', contentType: undefined, keyNumber: null, keptFor: 1000 })
    }
    await expect(upload()).rejects.toMatchObject({ code: 'storage_full', status: 507, extras: { retry_after: 60 } })
    expect([readdirSync(folder), await store.uploads.list(), uploads.used()]).toEqual([[], [], 0])
    expect((await upload()).id).toBe('room')
    expect(uploads.used()).toBe(64 * 1024)
  },
)

test('files of a few bytes use up the room as well, and leave some of it to others', async () => {
  const home = temporaryFolder()
  const store = await openTestStore({ home, now: Date.now, soon: 0 })
  onTestFinished(store.close)
  let ids = 0
  const rows = { folder: join(home, 'files'), rows: store.uploads, shared: null, quota: () => 1024 * 1024 }
  const uploads = createUploads({ ...rows, newId: () => `${ids++}`, endTime: Date.now, clock: systemClock })
  const upload = (keyNumber: number) => {
    const content = (async function* () {
      yield Buffer.from('a')
    })()
    return keepFile(uploads, { content, name: 'a.txt', contentType: undefined, keyNumber, keptFor: 60_000 })
  }
  for (let n = 0; n < 12; n += 1) await upload(1)
  await expect(upload(1)).rejects.toMatchObject({ code: 'storage_full' })
  await upload(2)
  await uploads.settle()
  expect(uploads.used()).toBe(13 * 64 * 1024)
})

test('a file of this PC that finds no place is closed', async () => {
  const home = temporaryFolder()
  const allowed = temporaryFolder()
  const path = join(allowed, 'a.pdf')
  writeFileSync(path, samples.pdf)
  const store = await openTestStore({ home, now: Date.now, soon: 0 })
  onTestFinished(store.close)
  const blocked = join(home, 'blocked')
  writeFileSync(blocked, '')
  const uploads = createUploads({
    folder: join(blocked, 'files'),
    rows: store.uploads,
    shared: null,
    quota: () => 1e9,
    newId: () => 'a',
    endTime: Date.now,
    clock: systemClock,
  })
  const opened: LocalFile[] = []
  const open = async (address: string) => {
    const file = await openLocalFile(address, { folders: [allowed], home })
    opened.push(file)
    return file
  }
  const media = { prefetch: () => undefined, take: () => Promise.reject(new Error('no file')), release: async () => {} }
  const files = { uploads, openLocalFile: open, media }
  const request = { phone: '6281234567890', message: '', delay: 0, file: pathToFileURL(path).href }
  await expect(withFile(files, request, null, async () => undefined)).rejects.toMatchObject({ code: 'ENOTDIR' })
  expect(opened.map(({ content }) => content.destroyed)).toEqual([true])
})
