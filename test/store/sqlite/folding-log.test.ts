import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../server/store/index.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** Fewer pages than SQLite would wait for by itself. */
const WRITES = 600

async function open() {
  const home = temporaryFolder()
  const store = await openStore({ home, now: Date.now, soon: 0 })
  onTestFinished(store.close)
  return { store, file: (name: string) => join(home, name) }
}

/** Pages in the log, and how many of them are in the database: see "WAL-Index Format" at sqlite.org. */
function logOf(index: string): { pages: number; moved: number } {
  const bytes = readFileSync(index)
  return { pages: bytes.readUInt32LE(16), moved: bytes.readUInt32LE(96) }
}

test('the log is moved into the database while others write, and begins again', async () => {
  const { store, file } = await open()
  for (let n = 0; n < WRITES; n += 1) await store.meta.save('alarm_state', String(n))
  await eventually(() => logOf(file('kurir.db-shm')).moved > 0)
  const { pages } = logOf(file('kurir.db-shm'))
  await eventually(async () => {
    await store.meta.save('alarm_state', 'again')
    return logOf(file('kurir.db-shm')).pages < pages
  })
  expect(store.meta.get('alarm_state')).toBe('again')
})

test('a file that was moved away is not made anew for its log', async () => {
  const { store, file } = await open()
  renameSync(file('kurir.db'), file('elsewhere'))
  const written = await Promise.allSettled(Array.from({ length: WRITES }, () => store.meta.save('alarm_state', 'x')))
  expect(written).toHaveLength(WRITES)
  await expect(store.messages.list({ limit: 1 })).rejects.toThrow('deleted, moved or replaced')
  expect(existsSync(file('kurir.db'))).toBe(false)
  renameSync(file('elsewhere'), file('kurir.db'))
})
