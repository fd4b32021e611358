import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { databaseOf, openTestStore } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newRow } from '../support/new-message.ts'

test('a file that a message takes while another node removes what nothing needs is kept', async () => {
  const home = temporaryFolder()
  const store = await openTestStore({ home, now: () => 1_000 })
  const other = new pg.Client({ connectionString: await databaseOf(home) })
  await other.connect()
  onTestFinished(async () => {
    await other.end()
    await store.close()
  })
  const { id: senderId } = await store.senders.add({
    ...{ code: 'SND-1', kind: 'linked', state: 'connected', official: null, createdAt: 0 },
    settings: {
      ...{ name: 'Shop', pacing: { min_seconds: 0, max_seconds: 0 }, daily_cap: null, quiet_hours: null },
      ...{ country_code: null, second_road: null },
    },
  })
  const file = { keyNumber: null, name: 'a.pdf', mimetype: 'application/pdf', kind: 'document', size: 1 } as const
  for (const id of ['taken', 'free']) {
    await store.uploads.add({ ...file, id, sha256: '', createdAt: 0, expiresAt: 500 })
  }
  const message = newRow({ senderId })
  await store.messages.accept(message, { unique: false })
  // As an accept: it holds the row of the file, and its message is not there for others yet.
  await other.query('BEGIN')
  await other.query("SELECT 1 FROM files WHERE id = 'taken' FOR KEY SHARE")
  await other.query("UPDATE messages SET file = 'upload:taken' WHERE id = $1", [message.id])
  const removed = store.uploads.removeUnused(1_000, 0)
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await eventually(async () => (await other.query(waiting)).rowCount === 1)
  await other.query('COMMIT')
  expect(await removed).toEqual(['free'])
  expect(await store.uploads.get('taken')).toBeDefined()
})
