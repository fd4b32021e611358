import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { SENT_ALONG_FOR } from '../../server/media/uploads.ts'
import { moveToFolder, moveToServer } from '../../server/store/transfer/index.ts'
import { OWNER_TOKEN, startProgram } from '../crash/program.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { databaseOf, engineEnv, nodesOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type ObjectStore, startObjectStore } from '../support/object-store.ts'
import { BYTES, clock, openNode } from './file-node.ts'

const PROBE = /kurir-probe/

async function ask<Row extends pg.QueryResultRow>(databaseUrl: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

const countIn = async (databaseUrl: string, table: 'file_chunks' | 'file_objects' | 'files'): Promise<number> =>
  (await ask<{ count: number }>(databaseUrl, `SELECT count(*)::int AS count FROM ${table}`))[0]?.count ?? 0

const hoursLater = (databaseUrl: string) => ask(databaseUrl, "UPDATE file_objects SET at = at - interval '2 hours'")

test('a file that one node took is sent by another, and its object goes with it', async () => {
  const objects = await startObjectStore()
  const shared = { databaseUrl: await databaseOf(temporaryFolder()), files: objects.options }
  const first = await openNode({ name: 'first', ...shared })
  const { id } = await first.save()
  expect(objects.names()).toEqual([id])
  expect(await countIn(shared.databaseUrl, 'file_chunks')).toBe(0)
  await first.close()
  await rm(first.home, { recursive: true })
  const second = await openNode({ name: 'second', ...shared })
  expect((await second.take(id)).equals(BYTES)).toBe(true)

  await clock.advance(SENT_ALONG_FOR)
  await second.uploads.sweep()
  expect(objects.names()).toEqual([])
  expect(await countIn(shared.databaseUrl, 'file_objects')).toBe(0)
  await expect(second.uploads.take(id)).rejects.toThrow(/no longer/)
})

test('a file that is asked for twice at the same time is fetched once', async () => {
  const objects = await startObjectStore()
  const shared = { databaseUrl: await databaseOf(temporaryFolder()), files: objects.options }
  const first = await openNode({ name: 'first', ...shared })
  const { id } = await first.save()
  const second = await openNode({ name: 'second', ...shared })
  await Promise.all([second.take(id), second.take(id)])
  expect(objects.requests.filter((request) => request === `GET ${id}`)).toHaveLength(1)
})

test('an object that somebody else changed is not sent', async () => {
  const objects = await startObjectStore()
  const shared = { databaseUrl: await databaseOf(temporaryFolder()), files: objects.options }
  const first = await openNode({ name: 'first', ...shared })
  const { id } = await first.save()
  objects.change(id, Buffer.alloc(BYTES.length, 'x'))
  const second = await openNode({ name: 'second', ...shared })
  await expect(second.take(id)).rejects.toThrow(/no longer/)
  expect((await first.take(id)).equals(BYTES), 'what it has itself').toBe(true)
})

test('what is in the database already stays there, and is sent', async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const before = await openNode({ name: 'node', databaseUrl })
  const { id } = await before.save()
  await before.close()
  const { options } = await startObjectStore()
  const after = await openNode({ name: 'node', databaseUrl, files: options })
  expect((await after.take(id)).equals(BYTES)).toBe(true)
  await clock.advance(SENT_ALONG_FOR)
  await after.uploads.sweep()
  expect(await countIn(databaseUrl, 'file_chunks')).toBe(0)
})

test('a node that would not find the files of messages does not start', async () => {
  const { options } = await startObjectStore()
  const databaseUrl = await databaseOf(temporaryFolder())
  const node = await openNode({ name: 'node', databaseUrl, files: options })
  const late = await openNode({ name: 'late', databaseUrl })
  const { id } = await node.save()
  // It runs already: the message waits for a node that has the file.
  await expect(late.uploads.take(id)).rejects.toMatchObject({ problem: 'objects_elsewhere' })
  expect(nodesOf(late.store)?.files.problem()).toBe('objects_elsewhere')
  const missing = /in an object store that this node does not use.*KURIR_FILES_URL.*s3:\/\/invoices\/shop\/files/
  await expect(openNode({ name: 'other', databaseUrl })).rejects.toThrow(missing)
  await clock.advance(SENT_ALONG_FOR)
  await node.uploads.sweep()
  await openNode({ name: 'other', databaseUrl })
})

test('files in another object store are told although the own one works', async () => {
  const [{ options: there }, { options: here }] = [await startObjectStore(), await startObjectStore()]
  const databaseUrl = await databaseOf(temporaryFolder())
  const node = await openNode({ name: 'node', databaseUrl, files: { ...there, prefix: 'other/' } })
  const late = await openNode({ name: 'late', databaseUrl, files: here })
  const { id } = await node.save()
  await expect(late.uploads.take(id)).rejects.toMatchObject({ problem: 'objects_elsewhere' })
  await late.save()
  expect(nodesOf(late.store)?.files.problem()).toBe('objects_elsewhere')
})

test.each([
  ['another secret', { secretAccessKey: 'other' }, /SignatureDoesNotMatch/],
  ['a bucket that is not there', { bucket: 'other' }, /NoSuchBucket/],
])('a node with %s does not start, and says what to do', async (_what, wrong, code) => {
  const { options } = await startObjectStore()
  const opened = openNode({
    name: 'node',
    databaseUrl: await databaseOf(temporaryFolder()),
    files: { ...options, ...wrong },
  })
  await expect(opened).rejects.toThrow(code)
  await expect(opened).rejects.toThrow(/Check KURIR_FILES_URL, AWS_ACCESS_KEY_ID/)
})

test('one that may not list there does not start: it would wait for ever for a file that is gone', async () => {
  const { options, judge } = await startObjectStore()
  judge((_method, name) => (name.endsWith('-missing') ? { status: 403, code: 'AccessDenied' } : undefined))
  const opened = openNode({ name: 'node', databaseUrl: await databaseOf(temporaryFolder()), files: options })
  await expect(opened).rejects.toThrow(/may list, read, write and delete there.*AccessDenied/)
})

test('files go into a database with an object store, and back into a folder', async () => {
  const objects = await startObjectStore()
  const pc = await openNode({ name: 'pc' })
  const { id: old } = await pc.save()
  await pc.close()
  const databaseUrl = await databaseOf(pc.home)
  await moveToServer(pc.home, databaseUrl)
  const node = await openNode({ name: 'node', databaseUrl, files: objects.options })
  expect((await node.take(old)).equals(BYTES)).toBe(true)
  const { id } = await node.save()
  await node.close()
  const without = moveToFolder(databaseUrl, join(temporaryFolder(), 'back'))
  await expect(without).rejects.toThrow(/in an object store/)
  const back = join(temporaryFolder(), 'back')
  await moveToFolder(databaseUrl, back, objects.options)
  for (const each of [old, id]) expect(readFileSync(join(back, 'files', each)).equals(BYTES)).toBe(true)
})

/** A node with the sandbox, whose messages are tried again soon. */
async function startNode(objects: ObjectStore): Promise<TestApp> {
  return startApp({ env: objects.env, overrides: { retry: { waits: Array.from({ length: 100 }, () => 100) } } })
}

const PDF = { 'content-type': 'application/pdf', 'x-filename': 'invoice.pdf' }

const storeFile = (app: TestApp) =>
  app.owner<{ file_id: string }>('/files', { body: BYTES, headers: PDF, method: 'POST' })

const send = (app: TestApp, more: Record<string, string>) =>
  app.owner<{ id: string }>('/send', { body: { sender_code: SANDBOX, phone: '6281234567890', ...more } })

const codes = async (app: TestApp): Promise<string[]> => {
  const { body } = await app.fetch<{ concerns: { code: string }[] }>('/health')
  return body.data.concerns.map(({ code }) => code)
}

test('while the object store is away files are refused with 503, texts are not, and all goes on by itself', async () => {
  const objects = await startObjectStore()
  const app = await startNode(objects)
  await objects.stop()
  const refused = await storeFile(app)
  expect(refused.status).toBe(503)
  expect(refused.body.error).toMatchObject({ code: 'storage_unavailable' })
  expect(refused.body.message).toMatch(/The object store for files does not work now.*Nothing was accepted/)
  expect(await codes(app)).toContain('files_unavailable')
  expect((await send(app, { message: 'Halo' })).status).toBe(200)
  await objects.start()
  expect((await storeFile(app)).status).toBe(200)
  expect(await codes(app)).not.toContain('files_unavailable')
})

test('a form that was refused with its key is accepted once when it is repeated', async () => {
  const objects = await startObjectStore()
  const app = await startNode(objects)
  const form = new FormData()
  form.set('sender_code', SANDBOX)
  form.set('phone', '6281234567890')
  form.set('message', 'Your invoice')
  form.set('file', new Blob([BYTES]), 'invoice.pdf')
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '', 'idempotency-key': 'INV-1' }
  const body = Buffer.from(await encoded.arrayBuffer())
  const post = () => app.owner<{ id: string }>('/send', { body, headers })
  await objects.stop()
  expect((await post()).status).toBe(503)
  await objects.start()
  const { status, body: accepted } = await post()
  expect(status).toBe(200)
  expect((await post()).body.data.id).toBe(accepted.data.id)
  await app.reached(accepted.data.id, 'read')
  expect((await app.owner<unknown[]>('/messages')).body.data).toHaveLength(1)
})

test('a message whose file cannot be fetched now waits, the next one does not', async () => {
  const objects = await startObjectStore()
  const app = await startNode(objects)
  const { file_id: fileId } = (await storeFile(app)).body.data
  // As on a node that did not take it.
  await rm(join(app.home, 'files', fileId))
  objects.judge(() => ({ status: 503, code: 'SlowDown' }))
  const { id: withFile } = (await send(app, { message: 'Your invoice', file_id: fileId })).body.data
  const { id: text } = (await send(app, { message: 'Halo' })).body.data
  await app.reached(text, 'read')
  expect(await app.message(withFile)).toMatchObject({ status: 'queued', attempts: 0 })
  expect(await codes(app)).toContain('files_unavailable')
  objects.judge(() => undefined)
  await app.reached(withFile, 'read')
  expect(await codes(app)).not.toContain('files_unavailable')
})

test('what a node stored that was killed before the row was written is removed an hour later', async () => {
  const objects = await startObjectStore()
  const home = temporaryFolder()
  const env = { ...(await engineEnv(home)), ...objects.env, KURIR_NODE: 'node' }
  const databaseUrl = await databaseOf(home)
  const program = await startProgram(join(home, 'node'), env)
  objects.whenStored(async (name) => {
    if (!PROBE.test(name)) await program.kill()
  })
  const call = fetch(`${program.url}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, ...PDF },
    body: BYTES,
  })
  await expect(call).rejects.toThrow()
  await eventually(() => objects.names().length === 1)
  expect(await countIn(databaseUrl, 'files')).toBe(0)

  const other = await openNode({ name: 'other', databaseUrl, files: objects.options })
  await other.uploads.sweep()
  expect(objects.names(), 'it may be just coming').toHaveLength(1)
  await hoursLater(databaseUrl)
  await other.uploads.sweep()
  expect(objects.names()).toEqual([])
  expect(await countIn(databaseUrl, 'file_objects')).toBe(0)
})

test('what could not be removed is removed later, and what a message needs is not', async () => {
  const objects = await startObjectStore()
  const databaseUrl = await databaseOf(temporaryFolder())
  const node = await openNode({ name: 'node', databaseUrl, files: objects.options })
  const { id: gone } = await node.save()
  objects.judge((method) => (method === 'DELETE' ? { status: 503, code: 'SlowDown' } : undefined))
  await node.uploads.discard(gone)
  expect(objects.names()).toEqual([gone])
  objects.judge(() => undefined)
  const { id: needed } = await node.save()
  await hoursLater(databaseUrl)
  await node.uploads.sweep()
  expect(objects.names()).toEqual([needed])
})
