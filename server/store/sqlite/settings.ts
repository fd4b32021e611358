import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

/** Not one of the owner's settings: what seals the secrets in this file, sealed for this PC. */
export const DATA_KEY = 'data_key'

export type SettingsStore = ReturnType<typeof createSettingsStore>

/** Names and JSON values. */
export function createSettingsStore(db: Db, write: Write) {
  const select = db.prepare<[], { name: string; value: string }>('SELECT name, value FROM settings')
  const put = db.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
  return {
    all: (): Record<string, unknown> =>
      Object.fromEntries(select.all().map(({ name, value }) => [name, JSON.parse(value) as unknown])),
    save: (values: Record<string, unknown>): Promise<void> =>
      write(() => {
        for (const [name, value] of Object.entries(values)) put.run(name, JSON.stringify(value))
      }),
  }
}
