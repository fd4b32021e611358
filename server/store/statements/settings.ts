import { z } from 'zod'
import type { SettingsStore } from '../settings.ts'
import type { Db, Remember, Write } from './engine.ts'
import { json, selecting, text } from './sql.ts'

/** Names and JSON values. */
export function createSettingsStore(db: Db, write: Write, remember: Remember): SettingsStore {
  const select = selecting<{ name: string; value: unknown }>(db, {
    name: text('name'),
    value: json('value', z.unknown()),
  })('FROM settings')
  const put = db.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
  let known: Record<string, unknown> = {}
  const reload = remember(['settings'], () => {
    known = Object.fromEntries(select.all().map(({ name, value }) => [name, value]))
  })
  return {
    all: () => known,
    async save(values) {
      await write(() => {
        for (const [name, value] of Object.entries(values)) put.run(name, JSON.stringify(value))
      })
      await reload()
    },
  }
}
