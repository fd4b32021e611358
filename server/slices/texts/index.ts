import type { Store } from '../../store/index.ts'
import { textRoutes } from './routes.ts'
import { createSavedTextStore } from './store.ts'

/** Texts that the owner keeps for later messages. */
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
