import { ENDPOINT, type EndpointStore, insertEndpoint, UNSET_ENDPOINT, updateEndpoint } from '../endpoints.ts'
import { bound } from '../statements.ts'
import { type Context, selecting } from './sql.ts'

/** @param reload reads them into memory again */
export function changingEndpoints({ db, write, run }: Context, reload: () => Promise<void>) {
  const byId = selecting(db, ENDPOINT)<[number]>('FROM webhook_endpoints WHERE id = ?')
  return {
    async add(endpoint, seal) {
      const added = await write(() => {
        const id = run.insert(insertEndpoint(endpoint))
        const secret = seal(id)
        run(bound('UPDATE webhook_endpoints SET secret = $2 WHERE id = $1', id, secret))
        return { ...endpoint, ...UNSET_ENDPOINT, id, secret }
      })
      await reload()
      return added
    },
    async change(id, decide) {
      const changed = await write(() => {
        const before = byId.get(id)
        if (before === undefined) return undefined
        const after = { ...before, ...decide(before) }
        run(updateEndpoint(after))
        return after
      })
      await reload()
      return changed
    },
  } satisfies Partial<EndpointStore>
}
