import { ApiError } from '../../contract/errors.ts'
import { emptyAnswer, idParams } from '../../contract/fields.ts'
import { defineRoute, ok, type Route } from '../../http/route.ts'
import { isoTime } from '../../lib/clock.ts'
import type { Store } from '../../store/index.ts'
import { createTextRequest, TEXTS_MAX, type TextView, textAnswer, textsAnswer, updateTextRequest } from './contract.ts'
import { createSavedTextStore, type SavedTextRow, type SavedTextStore } from './store.ts'

export function texts({ statements }: Store, newId: () => string, now: () => number) {
  const saved = createSavedTextStore(statements)
  return {
    routes: textRoutes(saved, newId, now),
    named: {
      path: '/api/texts/',
      find: async (id: string) => (await saved.list()).find((text) => text.id === id)?.name,
    },
  }
}

const owner = { auth: 'owner', tag: 'Saved texts' } as const

const view = ({ id, name, text, changedAt }: SavedTextRow): TextView => ({
  id,
  name,
  text,
  changed_at: isoTime(changedAt),
})

const unknown = () => new ApiError('not_found', 'There is no saved text with this id.')
const taken = () => new ApiError('conflict', 'There is a saved text of this name already.')

const textRoutes = (texts: SavedTextStore, newId: () => string, now: () => number): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/texts',
    summary: 'List saved texts, sorted by name',
    description: 'There can be at most 200 saved texts.',
    answer: textsAnswer,
    handler: async () => {
      const rows = await texts.list()
      return ok(
        'Saved texts.',
        rows.map(view).toSorted((a, b) => a.name.localeCompare(b.name)),
      )
    },
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/texts',
    summary: 'Save a text for later messages',
    description:
      'Each name can be used only once. `{date}`, `{time}`, `{phone}` and `{sender}` are filled in when a message is written with the text.',
    errors: [409],
    body: createTextRequest,
    answer: textAnswer,
    handler: async ({ body }) => {
      const row = { id: newId(), ...body, changedAt: now() }
      const added = await texts.add(row, TEXTS_MAX)
      if (added === 'taken') throw taken()
      if (added === 'full') throw new ApiError('conflict', `There are ${TEXTS_MAX} saved texts. Remove one first.`)
      return ok('Text saved.', view(row))
    },
  }),
  defineRoute({
    ...owner,
    method: 'PATCH',
    path: '/api/texts/{id}',
    summary: 'Change a saved text',
    description: 'Messages that were written with the text stay as they are.',
    errors: [404, 409],
    params: idParams,
    body: updateTextRequest,
    answer: textAnswer,
    handler: async ({ params: { id }, body }) => {
      const changed = await texts.change(id, { ...body, changedAt: now() })
      if (changed === 'unknown') throw unknown()
      if (changed === 'taken') throw taken()
      return ok('Text changed.', view(changed))
    },
  }),
  defineRoute({
    ...owner,
    method: 'DELETE',
    path: '/api/texts/{id}',
    summary: 'Delete a saved text',
    description: 'Messages that were written with the text stay as they are.',
    errors: [404],
    params: idParams,
    answer: emptyAnswer,
    handler: async ({ params: { id } }) => {
      if (!(await texts.remove(id))) throw unknown()
      return ok('Text removed.', {})
    },
  }),
]
