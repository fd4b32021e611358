import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { SENT_ALONG_FOR } from '../../server/media/uploads.ts'
import { moveToFolder, moveToServer } from '../../server/store/transfer/index.ts'
import { databaseOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { BYTES, clock, openNode } from './file-node.ts'

async function chunksIn(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM file_chunks')
  await client.end()
  return rows[0]?.count ?? 0
}

test('a file that one node took is sent by another, whatever becomes of the first one', async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const first = await openNode({ name: 'first', databaseUrl })
  const { id } = await first.save()
  // It starts after the file came, with an empty folder.
  const second = await openNode({ name: 'second', databaseUrl })
  await first.close()
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
  await second.close()
})

test('what another node removed is removed here too', async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const [first, second] = [
    await openNode({ name: 'first', databaseUrl }),
    await openNode({ name: 'second', databaseUrl }),
  ]
  const { id } = await first.save()
  await second.take(id)
  await clock.advance(SENT_ALONG_FOR)
  await first.uploads.sweep()
  await second.uploads.sweep()
  expect(readdirSync(join(second.home, 'files'))).toEqual([])
  await expect(second.uploads.take(id)).rejects.toThrow(/The file that was sent along is no longer/)
})

test('files go with their folder into a database and back', async () => {
  const pc = await openNode({ name: 'pc' })
  const { id } = await pc.save()
  await pc.close()
  const databaseUrl = await databaseOf(pc.home)
  await moveToServer(pc.home, databaseUrl)
  const node = await openNode({ name: 'node', databaseUrl })
  expect((await node.take(id)).equals(BYTES)).toBe(true)
  await node.close()
  const back = join(temporaryFolder(), 'back')
  await moveToFolder(databaseUrl, back)
  expect(readFileSync(join(back, 'files', id)).equals(BYTES)).toBe(true)
})
