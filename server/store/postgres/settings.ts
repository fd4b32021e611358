import { z } from 'zod'
import { json, text } from '../columns.ts'
import type { SettingsStore } from '../settings.ts'
import type { Context } from './sql.ts'

const SETTING = { name: text('name'), value: json('value', z.unknown()) }

export function createSettings({ db, write, remember }: Context): SettingsStore {
  let known: Record<string, unknown> = {}
  const reload = remember(['settings'], async () => {
    const rows = await db.rows(SETTING, 'FROM settings')
    known = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  })
  return {
    all: () => known,
    async save(values) {
      await write(async (tx) => {
        tx.changed('settings')
        await tx.run(
          `INSERT INTO settings (name, value) SELECT * FROM unnest($1::text[], $2::text[])
           ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
          [Object.keys(values), Object.values(values).map((value) => JSON.stringify(value))],
        )
      })
      await reload()
    },
  }
}
