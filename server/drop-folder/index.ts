import { ApiError } from '../contract/errors.ts'
import type { Settings } from '../contract/settings.ts'
import type { ConcernFacts } from '../health/concerns/facts.ts'
import type { Disposer } from '../lib/disposer.ts'
import type { Uploads } from '../media/uploads.ts'
import type { AcceptContext, Attach } from '../messages/accept.ts'
import type { Store } from '../store/index.ts'
import { createDropFolder, type DropFolderDeps } from './drop-folder.ts'
import { dropFolderRoutes } from './routes.ts'

export interface DropFolderContext extends Pick<DropFolderDeps, 'newId' | 'clock' | 'logger'> {
  config: { home: string }
  store: Store
  settings: { get: () => Settings }
  deployment: { node: unknown }
  disposer: Disposer
}

export interface DropFolderSending {
  accepting: AcceptContext
  files: { attach: Attach; uploads: Uploads }
}

/** A folder of the owner's, whose files are sent to the numbers that they are named with. */
export function dropFolder(context: DropFolderContext, { accepting, files }: DropFolderSending) {
  const { config, store, settings, deployment, disposer } = context
  // The folder lies on one PC.
  if (deployment.node !== null) return { routes: dropFolderRoutes({ view: refuse, update: refuse }) }
  const folder = createDropFolder({
    ...context,
    ...files,
    home: config.home,
    drops: store.drops,
    senders: store.senders,
    meta: store.meta,
    accepting,
    language: () => settings.get().language,
    retentionDays: () => settings.get().retention_days,
  })
  disposer.defer('drop folder', folder.close)
  return {
    routes: dropFolderRoutes(folder),
    concernFacts: async (): Promise<Partial<ConcernFacts>> => {
      const dropFolder = folder.facts()
      return dropFolder === null ? {} : { dropFolder }
    },
  }
}

/** @throws ApiError `conflict` */
function refuse(): Promise<never> {
  throw new ApiError(
    'conflict',
    'Several nodes share this database, and a drop folder belongs to one PC. Use POST /send.',
  )
}
