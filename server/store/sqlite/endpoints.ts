import { ENDPOINT, type EndpointStore, insertEndpoint, type KeptEndpoints, updateEndpoint } from '../endpoints.ts'
import { bound } from '../statements.ts'
import { type Context, selecting } from './sql.ts'

export function changingEndpoints({ db, write, run }: Context, { reload, added }: KeptEndpoints) {
  const byId = selecting(db, ENDPOINT)<[number]>('FROM webhook_endpoints WHERE id = ?')
  return {
    async add(endpoint, seal) {
      const id = await write(() => {
        const own = run.insert(insertEndpoint(endpoint))
        run(bound('UPDATE webhook_endpoints SET secret = $2 WHERE id = $1', own, seal(own)))
        return own
      })
      return added(id)
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
