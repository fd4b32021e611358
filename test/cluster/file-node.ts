import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { BucketOptions } from '../../server/lib/s3-bucket.ts'
import { createUploads, SENT_ALONG_FOR } from '../../server/media/uploads.ts'
import { openStore } from '../../server/store/index.ts'
import { createTestClock } from '../support/clock.ts'
import { nodesOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'

/** A file of more than two chunks. */
export const BYTES = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(2_500_000)])

/** Of all nodes of a test. */
export const clock = createTestClock()

interface NodeOptions {
  name: string
  /** Without it the store is in the folder. */
  databaseUrl?: string
  files?: BucketOptions
}

/** The files of a node with a folder of its own. */
export async function openNode({ name, databaseUrl, files }: NodeOptions) {
  const home = temporaryFolder()
  const store = await openStore({ home, databaseUrl, files, node: name, now: clock.now, soon: 0 })
  let isOpen = true
  async function close(): Promise<void> {
    if (isOpen) await store.close()
    isOpen = false
  }
  onTestFinished(close)
  const uploads = createUploads({
    folder: join(home, 'files'),
    rows: store.uploads,
    shared: nodesOf(store)?.files ?? null,
    quota: () => 10_000_000,
    newId: randomUUID,
    endTime: clock.now,
    clock,
  })
  await uploads.settle()
  async function* content() {
    yield BYTES.subarray(0, 1_000_000)
    yield BYTES.subarray(1_000_000)
  }
  const about = { name: 'invoice.pdf', contentType: 'application/pdf', keyNumber: null, keptFor: SENT_ALONG_FOR }
  return {
    home,
    store,
    uploads,
    close,
    save: () => uploads.store({ ...about, content: content() }),
    take: async (id: string) => readFileSync((await uploads.take(id)).path),
  }
}
