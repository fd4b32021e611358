import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { startLinked } from '../../support/reported-states.ts'

test('another program holds the database while the phone unlinks: callers hear of it when it lets go', async () => {
  const { clock, file, report, store, types, written } = await startLinked()
  const scanner = new Database(file)
  scanner.exec('BEGIN IMMEDIATE')
  await report('logged_out', 'unlinked_on_phone')
  expect(store.senders.byCode('SND-1')?.state).toBe('connected')
  scanner.close()
  await clock.advance(5_000)
  await written()
  expect(store.senders.byCode('SND-1')?.state).toBe('logged_out')
  expect(await types()).toEqual(['sender.linked', 'sender.unlinked'])
})
