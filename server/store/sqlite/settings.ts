import { z } from 'zod'
import type { SettingsStore } from '../settings.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { json, selecting, text } from './sql.ts'

/** Names and JSON values. */
export function createSettingsStore(db: Db, write: Write): SettingsStore {
  const select = selecting<{ name: string; value: unknown }>(db, {
    name: text('name'),
    value: json('value', z.unknown()),
  })('FROM settings')
  const put = db.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
  return {
    all: () => Object.fromEntries(select.all().map(({ name, value }) => [name, value])),
    save: (values) =>
      write(() => {
        for (const [name, value] of Object.entries(values)) put.run(name, JSON.stringify(value))
      }),
  }
}
