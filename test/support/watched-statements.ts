import type { Db } from '../../server/store/sqlite/database.ts'

interface Watcher {
  /** Called before each statement that writes, and before each COMMIT. */
  onRun?: (sql: string) => void
  onRows?: (sql: string, count: number) => void
}

/** Reports the statements that the store prepares from now on. */
export function watchStatements(db: Db, { onRun, onRows }: Watcher): void {
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => {
    const statement = prepare(sql)
    const { run, all } = statement
    statement.run = (...values) => {
      onRun?.(sql)
      return run.apply(statement, values)
    }
    statement.all = (...values) => {
      const rows = all.apply(statement, values)
      onRows?.(sql, rows.length)
      return rows
    }
    return statement
  }) as typeof db.prepare
}
