import { expect, test } from 'vitest'
import type { Db } from '../../server/store/sqlite/database.ts'
import { startApp } from '../support/app.ts'
import { isShared } from '../support/engine.ts'
import { watchStatements } from '../support/watched-statements.ts'

const MANY = 1_200
/** Rows that one step may change: its deliveries, and their count each. */
const MOST = 1_000

/** The open database, and the most rows that one of its commits has changed. */
function watchCommits() {
  const watched = { largest: 0, db: undefined as Db | undefined }
  function opened(db: Db): void {
    watched.db = db
    const changes = db.prepare('SELECT total_changes() AS count').pluck()
    let before = 0
    watchStatements(db, {
      onRun(sql) {
        if (sql !== 'COMMIT') return
        const count = Number(changes.get())
        watched.largest = Math.max(watched.largest, count - before)
        before = count
      },
    })
  }
  return { watched, opened }
}

async function start() {
  const { watched, opened } = watchCommits()
  const app = await startApp({ overrides: { opened } })
  const url = 'http://127.0.0.1:9/'
  const { id } = (await app.owner<{ id: string }>('/api/webhooks', { body: { url, enabled: false } })).body.data
  const event = watched.db?.prepare(
    "INSERT INTO events (type, message_seq, at, recorded_at, data) VALUES ('webhook.test', NULL, 1, 1, '{}')",
  )
  const delivery = watched.db?.prepare(
    `INSERT INTO webhook_deliveries (endpoint_id, event_seq, message_seq, state, next_at, created_at)
     VALUES (?, ?, NULL, 'dead', NULL, 1)`,
  )
  watched.db?.exec('BEGIN')
  for (let n = 0; n < MANY; n += 1) delivery?.run(id, event?.run().lastInsertRowid)
  watched.db?.exec('COMMIT')
  // The next commit counts the rows that were inserted here.
  await app.owner('/api/settings', { method: 'PATCH', body: { language: 'en' } })
  watched.largest = 0
  return { app, id, watched }
}

// One commit for all would hold up every caller of SQLite. PostgreSQL has commits of its own.
test.skipIf(isShared).each([
  ['removed', 'DELETE', (id: string) => `/api/webhooks/${id}`],
  ['discarded', 'POST', () => '/api/deliveries/discard-dead'],
])('many callbacks are %s in batches', async (_what, method, path) => {
  const { app, id, watched } = await start()
  expect((await app.owner(path(id), { method })).status).toBe(200)
  expect(watched.largest).toBeLessThanOrEqual(MOST + 10)
  expect(await app.app.store.deliveries.list({ limit: 1 })).toEqual([])
})

test.skipIf(isShared)('many dead callbacks are sent again in batches, each once', async () => {
  const { app, id, watched } = await start()
  await app.app.store.endpoints.change(Number(id), () => ({ enabled: true }))
  const { body } = await app.owner<{ replayed: number }>('/api/deliveries/replay-dead', { method: 'POST' })
  expect(body.data).toEqual({ replayed: MANY })
  expect(watched.largest).toBeLessThanOrEqual(2 * MOST)
  expect(await app.app.store.deliveries.list({ state: 'dead', limit: 1 })).toEqual([])
})
