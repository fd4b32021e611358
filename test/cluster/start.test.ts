import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { SenderView } from '../../server/contract/senders.ts'
import { openStore } from '../../server/store/index.ts'
import { moveToServer } from '../../server/store/transfer/index.ts'
import { startApp } from '../support/app.ts'
import { databaseOf, openShared } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'

test('nodes that start together on an empty database all run, with one sandbox', async () => {
  const url = await databaseOf(temporaryFolder())
  const names = ['a', 'b', 'c']
  const apps = await Promise.all(names.map((name) => startApp({ env: { KURIR_DATABASE_URL: url, KURIR_NODE: name } })))
  for (const app of apps) {
    const { data } = (await app.owner<SenderView[]>('/api/senders')).body
    expect(data.map(({ sender_code }) => sender_code)).toEqual(['SND-SANDBOX'])
  }
})

test('of two nodes of one name that start at the same moment one ends, and says why', async () => {
  const url = await databaseOf(temporaryFolder())
  const start = () => startApp({ env: { KURIR_DATABASE_URL: url, KURIR_NODE: 'a' } })
  const ends = await Promise.allSettled([start(), start()])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const [failed] = ends.filter((end) => end.status === 'rejected')
  expect(String(failed?.reason)).toMatch(/Another node with this name is running.*KURIR_NODE/)
})

test('nodes that were killed long ago leave the list with a start', async () => {
  const url = await databaseOf(temporaryFolder())
  const open = (node: string) => openShared({ home: temporaryFolder(), databaseUrl: url, node, now: Date.now })
  await (await open('a')).close()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const days of [6, 8]) {
    await client.query(
      `INSERT INTO nodes (name, instance, url, version, started_at, seen_at, taken_over, fenced)
       VALUES ($1, 'x', NULL, '1', 1, now() - $2 * interval '1 day', 0, 0)`,
      [`killed ${days} days ago`, days],
    )
  }
  await client.end()
  const store = await open('b')
  onTestFinished(store.close)
  expect((await store.nodes?.list())?.map(({ name }) => name)).toEqual(['killed 6 days ago'])
})

test('a start that fails says what the server said, and what to correct', async () => {
  const url = new URL(await databaseOf(temporaryFolder()))
  url.pathname = '/nothing_here'
  const home = temporaryFolder()
  await expect(openShared({ home, databaseUrl: url.href, node: 'a', now: Date.now })).rejects.toThrow(
    /refused this login or database.*KURIR_DATABASE_URL.*nothing_here: database "nothing_here" does not exist/,
  )
  await (await openStore({ home, now: Date.now })).close()
  url.port = String(await freePort())
  await expect(moveToServer(home, url.href)).rejects.toThrow(
    /does not answer. Start it, or correct KURIR_DATABASE_URL, and try again.*ECONNREFUSED/,
  )
})

test('a node with another key, or without one, says which file belongs there', async () => {
  const url = await databaseOf(temporaryFolder())
  const app = await startApp({ env: { KURIR_DATABASE_URL: url, KURIR_NODE: 'a' } })
  await app.close()
  const start = (keyFile: string) =>
    startApp({ env: { KURIR_DATABASE_URL: url, KURIR_NODE: 'b', KURIR_VAULT_KEY_FILE: keyFile } })
  const other = join(temporaryFolder(), 'vault.key')
  await expect(start(other)).rejects.toThrow(/is missing.*KURIR_VAULT_KEY_FILE has to be the same file on every node/)
  writeFileSync(other, 'c3'.repeat(32))
  await expect(start(other)).rejects.toThrow(/in the database were sealed with another key.*KURIR_VAULT_KEY_FILE/)
})
