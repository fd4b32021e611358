import type { DroppedOutcome, DroppedTable } from '../../contract/dropped-tables.ts'
import type { Disposer } from '../../lib/disposer.ts'
import { createTurns } from '../../lib/turns.ts'
import type { TableParts } from './context.ts'
import { forgetUnsent, takeDropped } from './dropped.ts'
import { tableRoutes } from './routes.ts'
import { createTablesService } from './service.ts'
import { createTableStore } from './store.ts'

/** Tables: pasted or opened by the owner, a message for each row. */
export function tables(parts: TableParts, disposer: Disposer) {
  const turns = createTurns<'table'>(() => Number.POSITIVE_INFINITY)
  const stored = createTableStore(parts.messaging.store.statements)
  const context = { ...parts, tables: stored, turns, stopping: new AbortController() }
  const service = createTablesService(context)
  disposer.defer('tables', service.close)
  service.wake()
  return {
    routes: tableRoutes(service, parts.settings),
    named: { path: '/api/tables/', find: async (id: string) => (await stored.find(id))?.name },
    /** Goes on with tables that were left in the middle. */
    wake: service.wake,
    take: (table: DroppedTable): Promise<DroppedOutcome> => takeDropped(context, service, table),
    find: stored.find,
    forget: stored.forget,
    forgetUnsent: (id: string): Promise<boolean> => forgetUnsent(context, id),
  }
}
