import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../server/lib/clock.ts'
import { createUploads } from '../../server/media/uploads.ts'
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
    const uploads = createUploads({ folder, ...rows, quota: () => 1e9, newId, clock: systemClock })
    symlinkSync('/dev/full', join(folder, 'full.part'))
    const upload = async () => {
      const content = (async function* () {
        yield samples.pdf
      })()
      return uploads.store({ content, name: 'a.pdf', contentType: undefined, keyNumber: null, keptFor: 1000 })
    }
    await expect(upload()).rejects.toMatchObject({ code: 'storage_full', status: 507, extras: { retry_after: 60 } })
    expect([readdirSync(folder), await store.uploads.list(), uploads.used()]).toEqual([[], [], 0])
    expect((await upload()).id).toBe('room')
    expect(uploads.used()).toBe(samples.pdf.length)
  },
)
