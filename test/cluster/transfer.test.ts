import { createHash } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openStore, QUARTER, type Store } from '../../server/store/index.ts'
import { moveToFolder, moveToServer, reopenServer } from '../../server/store/transfer/index.ts'
import { databaseOf, openShared } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAST } from '../support/lane.ts'
import { newRow } from '../support/new-message.ts'

/** A data folder in which every kind of value is. */
async function usedFolder(): Promise<string> {
  const home = temporaryFolder()
  const store = await openStore({ home, now: Date.now, soon: 0 })
  const { id: senderId } = await store.senders.add({
    code: 'SND-1',
    kind: 'linked',
    settings: FAST,
    state: 'connected',
    official: null,
    createdAt: 1,
  })
  await store.sessions.change(senderId, {
    credentials: { generation: 'current', value: Buffer.from([0, 1, 255]), at: 1 },
  })
  const endpoint = { url: 'http://127.0.0.1:9/', format: 'kurir', senderCodes: ['SND-1'], enabled: true, createdAt: 1 }
  await store.endpoints.add({ ...endpoint, events: ['message.sent'] }, () => Buffer.from('sealed'))
  for (let n = 0; n < 1_200; n += 1) {
    await store.messages.accept(newRow({ id: `m${n}`, senderId, body: `Halo ☕ ${n}`, metadata: '{"a":1.0}' }), {
      unique: false,
    })
  }
  await store.messages.change({ id: 'm7' }, () => ({ status: 'sent', at: 5, nextAt: null, providerMessageId: 'W7' }))
  await store.settings.save({ retention_days: 9 })
  while (await store.search.step());
  await store.close()
  return home
}

/** Everything that a folder holds, in the order of its tables. */
function sumOf(home: string): Record<string, string> {
  const sums: Record<string, string> = {}
  for (const file of ['kurir.db', 'sessions.db']) {
    const db = new Database(join(home, file), { readonly: true })
    const tables = db.prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    for (const { name } of tables.all()) {
      if (/^(sqlite_|messages_words|meta$)/.test(name)) continue
      const rows = db.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all()
      sums[name] = createHash('sha256').update(JSON.stringify(rows)).digest('hex')
    }
    db.close()
  }
  return sums
}

test('a folder goes into a database and back without a difference, and Kurir goes on with both', async () => {
  const home = await usedFolder()
  const url = await databaseOf(home)
  const there = await moveToServer(home, url)
  expect(there).toContainEqual({ table: 'messages', rows: 1_200 })
  const back = temporaryFolder()
  expect(await moveToFolder(url, join(back, 'kurir'))).toEqual(there)
  expect(sumOf(join(back, 'kurir'))).toEqual(sumOf(home))

  await reopenServer(url)
  const store = await openShared({ home: temporaryFolder(), databaseUrl: url, node: 'a', now: Date.now })
  onTestFinished(store.close)
  expect(await store.messages.find({ id: 'm7' })).toMatchObject({ status: 'sent', metadata: '{"a":1.0}' })
  expect(store.settings.all()).toMatchObject({ retention_days: 9 })
  const [sender] = store.senders.list()
  expect(store.queues.waiting(sender?.id ?? 0)).toBe(1_199)
  expect(await store.sessions.credentials(sender?.id ?? 0, 'current')).toEqual(Buffer.from([0, 1, 255]))
  const newest = (await store.messages.newest())?.seq ?? 0
  const accepted = await store.messages.accept(newRow({ senderId: sender?.id ?? 0 }), { unique: false })
  expect(accepted, 'numbers go on').toEqual({ kind: 'accepted', seq: newest + 1 })
  while (await store.search.step());
  expect((await store.messages.list({ text: 'halo 77', limit: 20 })).map(({ body }) => body)).toContain('Halo ☕ 77')
})

test('what a folder, nodes and a folder again have counted of a day is one count', async () => {
  const home = await usedFolder()
  const url = await databaseOf(home)
  await moveToServer(home, url)
  const dayOf = async ({ figures }: Store) => {
    const rows = await figures.of([{ since: 0, until: QUARTER }])
    const sum = (name: 'became_sent' | 'became_failed') => rows.reduce((total, row) => total + row[name], 0)
    return { sent: sum('became_sent'), failed: sum('became_failed') }
  }
  const SENT = { sent: 3, failed: 0 }
  const nodes = await Promise.all(
    ['a', 'b'].map((node) => openShared({ home: temporaryFolder(), databaseUrl: url, node, now: Date.now })),
  )
  for (const [n, store] of nodes.entries())
    await store.messages.change({ id: `m${n}` }, () => ({ status: 'sent', at: 5, nextAt: null }))
  expect(await Promise.all(nodes.map(dayOf))).toEqual([SENT, SENT])
  for (const store of nodes) await store.close()
  const back = join(temporaryFolder(), 'kurir')
  await moveToFolder(url, back)
  const store = await openStore({ home: back, now: Date.now, soon: 0 })
  onTestFinished(store.close)
  expect(await dayOf(store)).toEqual(SENT)
  await store.messages.change({ id: 'm1' }, () => ({ status: 'failed', at: 5 }))
  expect(await dayOf(store)).toEqual({ ...SENT, sent: 2, failed: 1 })
})

test('a database that holds something is left alone', async () => {
  const home = await usedFolder()
  const url = await databaseOf(home)
  const other = await usedFolder()
  await moveToServer(home, url)
  await expect(moveToServer(other, url)).rejects.toThrow(/holds data already/)
  const folder = temporaryFolder()
  copyFileSync(join(home, 'kurir.db'), join(folder, 'kurir.db'))
  await expect(moveToFolder(url, folder)).rejects.toThrow(/holds a database already/)
})

test('the way back waits until no node runs, and is gone again into the folder that was begun', async () => {
  const home = await usedFolder()
  const url = await databaseOf(home)
  await moveToServer(home, url)
  const store = await openShared({ home: temporaryFolder(), databaseUrl: url, node: 'a', now: Date.now })
  onTestFinished(store.close)
  await store.nodes?.renew({ url: null, version: '1', startedAt: 1 })
  const back = temporaryFolder()
  await expect(moveToFolder(url, back)).rejects.toThrow(/Nodes run on this database: a\. Stop them all/)
  await store.nodes?.leave()
  await moveToFolder(url, back)
  expect(sumOf(back)).toEqual(sumOf(home))
})

test('a folder that is in use is not copied', async () => {
  const home = await usedFolder()
  const store = await openStore({ home, now: Date.now })
  onTestFinished(store.close)
  await expect(moveToServer(home, await databaseOf(home))).rejects.toThrow(
    /Another Kurir already uses this data folder/,
  )
})
