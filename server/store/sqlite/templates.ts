import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

export interface TemplateCacheRow {
  name: string
  language: string
  /** JSON as Meta lists it. */
  body: string
  syncedAt: number
  /** What a callback of Meta said, as long as the template cannot be sent because of it. */
  trouble: string | null
}

export type TemplateCache = ReturnType<typeof createTemplateCache>

/** Meta's templates of each official sender, as they were last read. */
export function createTemplateCache(db: Db, write: Write) {
  const select = db.prepare<[number], TemplateCacheRow>(
    `SELECT name, language, body, synced_at AS syncedAt, trouble FROM templates WHERE sender_id = ? ORDER BY name, language`,
  )
  const insert = db.prepare(
    'INSERT INTO templates (sender_id, name, language, body, synced_at, trouble) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const drop = db.prepare('DELETE FROM templates WHERE sender_id = @senderId AND (@name IS NULL OR name = @name)')
  const change = db.prepare(
    'UPDATE templates SET body = ?, trouble = ? WHERE sender_id = ? AND name = ? AND language = ?',
  )

  return {
    list: (senderId: number): TemplateCacheRow[] => select.all(senderId),
    /** All of a sender, or (with `name`) all languages of one template; what is not among `rows` is gone at Meta. */
    replace: (
      senderId: number,
      name: string | null,
      rows: readonly { name: string; language: string; body: string; sendable: boolean }[],
      at: number,
    ): Promise<void> =>
      write(() => {
        const key = (row: { name: string; language: string }) => `${row.name} ${row.language}`
        const troubles = new Map(select.all(senderId).map((row) => [key(row), row.trouble]))
        drop.run({ senderId, name })
        for (const row of rows) {
          // What was read anew says for itself whether the template can be sent.
          const trouble = row.sendable ? null : (troubles.get(key(row)) ?? null)
          insert.run(senderId, row.name, row.language, row.body, at, trouble)
        }
      }),
    change: (senderId: number, row: Pick<TemplateCacheRow, 'name' | 'language' | 'body' | 'trouble'>): Promise<void> =>
      write(() => void change.run(row.body, row.trouble, senderId, row.name, row.language)),
  }
}
