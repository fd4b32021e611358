import { ApiError } from '../contract/errors.ts'
import type { ConcernFacts } from '../health/concerns/facts.ts'
import type { Disposer } from '../lib/disposer.ts'
import { createDropFolder } from './drop-folder.ts'
import { dropFolderRoutes } from './routes.ts'
import type { DropContext } from './worker.ts'

/**
 * A folder of the owner's, whose files are sent to the numbers that they are named with.
 * @param isShared true where several programs share the database: the folder lies on one PC
 */
export function dropFolder(context: DropContext, isShared: boolean, disposer: Disposer) {
  if (isShared) return { routes: dropFolderRoutes({ view: refuse, update: refuse }) }
  const folder = createDropFolder(context)
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
