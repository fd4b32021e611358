import { anyJson, text, writing } from './columns.ts'
import type { Statements } from './statements.ts'

/**
 * The owner's settings by name. Reads are kept in memory; they may be up to a second old in an
 * engine that is shared.
 */
export interface SettingsStore {
  all(): Record<string, unknown>
  save(values: Record<string, unknown>): Promise<void>
}

const SETTING = { name: text('name'), value: anyJson('value') }

export function createSettings({ rows, insert, keep }: Statements): SettingsStore {
  let known: Record<string, unknown> = {}
  const read = rows(SETTING, 'FROM settings')
  const { change } = keep('settings', async () => {
    known = Object.fromEntries((await read()).map(({ name, value }) => [name, value]))
  })
  const put = insert('settings', writing(SETTING), 'ON CONFLICT (name) DO UPDATE SET value = excluded.value')
  return {
    all: () => known,
    async save(values) {
      await change(...put(Object.entries(values).map(([name, value]) => ({ name, value }))))
    },
  }
}
