import type { Settings } from '../contract/settings.ts'
import type { Clock } from '../lib/clock.ts'
import type { Disposer } from '../lib/disposer.ts'
import type { Logger } from '../lib/logger.ts'
import type { AcceptContext, Attach } from '../messages/accept.ts'
import type { MessageActions } from '../messages/actions.ts'
import type { Store } from '../store/index.ts'
import { tableRoutes } from './routes.ts'
import { createTablesService } from './service.ts'

export interface TableContext {
  store: Store
  settings: { get: () => Settings }
  deployment: { isReporter: (signal: AbortSignal) => Promise<boolean> }
  newId: () => string
  clock: Clock
  logger: Logger
  disposer: Disposer
}

export interface TableSending {
  accepting: AcceptContext
  actions: MessageActions
  files: { attach: Attach }
}

/** Tables: pasted or opened by the owner, a message for each row. */
export function tables(
  { store, settings, deployment, newId, clock, logger, disposer }: TableContext,
  { accepting, actions, files }: TableSending,
) {
  const service = createTablesService({
    ...store,
    settings: settings.get,
    accepting,
    actions,
    attach: files.attach,
    isReporter: deployment.isReporter,
    newId,
    clock,
    logger,
  })
  disposer.defer('tables', service.close)
  service.start()
  return { routes: tableRoutes({ tables: service, language: () => settings.get().language }) }
}
