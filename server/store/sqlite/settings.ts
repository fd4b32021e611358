import { z } from 'zod'
import { json, text } from '../columns.ts'
import type { SettingsStore } from '../settings.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

/** Names and JSON values. */
export function createSettings(db: Db, write: Write): SettingsStore {
  const select = selecting<{ name: string; value: unknown }>(db, {
    name: text('name'),
    value: json('value', z.unknown()),
  })('FROM settings')
  const put = db.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
  let known: Record<string, unknown> = {}
  const load = () => {
    known = Object.fromEntries(select.all().map(({ name, value }) => [name, value]))
  }
  load()
  return {
    all: () => known,
    async save(values) {
      await write(() => {
        for (const [name, value] of Object.entries(values)) put.run(name, JSON.stringify(value))
      })
      load()
    },
  }
}
