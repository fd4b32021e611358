import { text } from '../columns.ts'
import type { MetaStore } from '../meta.ts'
import type { Context } from './sql.ts'

const PUT = `INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO`

export function createMeta({ db, write, remember }: Context): MetaStore {
  let known = new Map<string, string>()
  const reload = remember(['meta'], async () => {
    const rows = await db.rows({ name: text('name'), value: text('value') }, 'FROM meta')
    known = new Map(rows.map(({ name, value }) => [name, value]))
  })

  /** @param then what follows where there is one already */
  async function put(name: string, value: string, then: string): Promise<string> {
    const [row] = await write(async (tx) => {
      tx.changed('meta')
      return tx.query<{ value: string }>(`${PUT} ${then} RETURNING value`, [name, value])
    })
    await reload()
    return row?.value ?? value
  }

  return {
    get: (name) => known.get(name),
    async save(name, value) {
      await put(name, value, 'UPDATE SET value = excluded.value')
    },
    keep: (name, value) => put(name, value, 'UPDATE SET value = meta.value'),
  }
}
