import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createUploads, SENT_ALONG_FOR } from '../../server/media/uploads.ts'
import { openStore } from '../../server/store/index.ts'
import { copyToFolder, copyToServer } from '../../server/store/transfer.ts'
import { createTestClock } from '../support/clock.ts'
import { databaseOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'

// More than two chunks.
const BYTES = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(2_500_000)])

const clock = createTestClock()

/** A node with a folder of its own; without a database its store is in the folder. */
async function openNode(name: string, databaseUrl?: string) {
  const home = temporaryFolder()
  const store = await openStore({ home, databaseUrl, node: name, now: clock.now, soon: 0 })
  const uploads = createUploads({
    folder: join(home, 'files'),
    rows: store.uploads,
    shared: store.fileBytes,
    quota: () => 10_000_000,
    newId: randomUUID,
    clock,
  })
  await uploads.settle()
  const take = async (id: string) => readFileSync((await uploads.take(id)).path)
  async function* content() {
    yield BYTES.subarray(0, 1_000_000)
    yield BYTES.subarray(1_000_000)
  }
  const save = () =>
    uploads.store({
      content: content(),
      name: 'invoice.pdf',
      contentType: 'application/pdf',
      keyNumber: null,
      keptFor: SENT_ALONG_FOR,
    })
  return { home, store, uploads, take, save }
}

async function chunksIn(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM file_chunks')
  await client.end()
  return rows[0]?.count ?? 0
}

test('a file that one node took is sent by another, whatever becomes of the first one', async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const first = await openNode('first', databaseUrl)
  const { id } = await first.save()
  // It starts after the file came, with an empty folder.
  const second = await openNode('second', databaseUrl)
  await first.store.close()
  await rm(first.home, { recursive: true })
  expect((await second.take(id)).equals(BYTES)).toBe(true)
  expect(second.uploads.used()).toBe(BYTES.length)
  await rm(join(second.home, 'files', id))
  expect((await second.take(id)).equals(BYTES), 'what it had loaded got lost').toBe(true)

  await clock.advance(SENT_ALONG_FOR)
  await second.uploads.sweep()
  expect(await chunksIn(databaseUrl)).toBe(0)
  expect(readdirSync(join(second.home, 'files'))).toEqual([])
  expect(second.uploads.used()).toBe(0)
  await second.store.close()
})

test('what another node removed is removed here too', async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const [first, second] = [await openNode('first', databaseUrl), await openNode('second', databaseUrl)]
  onTestFinished(async () => void (await Promise.all([first.store.close(), second.store.close()])))
  const { id } = await first.save()
  await second.take(id)
  await clock.advance(SENT_ALONG_FOR)
  await first.uploads.sweep()
  await second.uploads.sweep()
  expect(readdirSync(join(second.home, 'files'))).toEqual([])
  await expect(second.uploads.take(id)).rejects.toThrow(/The file that was sent along is no longer/)
})

test('files go with their folder into a database and back', async () => {
  const pc = await openNode('pc')
  const { id } = await pc.save()
  await pc.store.close()
  const databaseUrl = await databaseOf(pc.home)
  await copyToServer(pc.home, databaseUrl)
  const node = await openNode('node', databaseUrl)
  expect((await node.take(id)).equals(BYTES)).toBe(true)
  await node.store.close()
  const back = join(temporaryFolder(), 'back')
  await copyToFolder(databaseUrl, back)
  expect(readFileSync(join(back, 'files', id)).equals(BYTES)).toBe(true)
})
