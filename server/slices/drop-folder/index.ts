import { ApiError } from '../../contract/errors.ts'
import { defineRoute, ok, type Route } from '../../http/route.ts'
import type { Disposer } from '../../lib/disposer.ts'
import type { DropParts } from './context.ts'
import { dropFolderAnswer, updateDropFolderRequest } from './contract.ts'
import { createDropFolder, type DropFolder, dropFolderConcerns } from './drop-folder.ts'
import { createDropStore } from './store.ts'

/** @param refusal reason why this installation cannot have a drop folder */
export function dropFolder(parts: DropParts, refusal: string | undefined, disposer: Disposer) {
  if (refusal !== undefined) {
    const refuse = (): Promise<never> => {
      throw new ApiError('conflict', refusal)
    }
    return { routes: dropFolderRoutes({ view: refuse, update: refuse }) }
  }
  const folder = createDropFolder({ ...parts, drops: createDropStore(parts.messaging.store.statements) })
  disposer.defer('drop folder', folder.close)
  return {
    routes: dropFolderRoutes(folder),
    concerns: async () => {
      const facts = folder.facts()
      return facts === null ? [] : dropFolderConcerns(facts)
    },
  }
}

const owner = { auth: 'owner', tag: 'Drop folder' } as const

const dropFolderRoutes = ({ view, update }: Pick<DropFolder, 'view' | 'update'>): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/drop-folder',
    summary: 'Get the settings, state and last files of the drop folder',
    description:
      'Files stay in the folder while `problem` is not null. Files in `sent/` have become messages; the `status` of a file says whether its message has arrived.',
    errors: [409],
    answer: dropFolderAnswer,
    handler: async () => ok('Drop folder.', await view()),
  }),
  defineRoute({
    ...owner,
    method: 'PATCH',
    path: '/api/drop-folder',
    summary: 'Change the settings of the drop folder',
    description:
      'Kurir sends each file in the folder to the phone number at the beginning of its name and moves it to `sent/` or `failed/`. A new folder must be empty.',
    errors: [409],
    body: updateDropFolderRequest,
    answer: dropFolderAnswer,
    handler: async ({ body }) => ok('Saved.', await update(body)),
  }),
]
