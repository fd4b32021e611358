import { ENDPOINT, type EndpointStore, insertEndpoint, type KeptEndpoints, updateEndpoint } from '../endpoints.ts'
import { type Context, insertRow, runBound } from './sql.ts'

export function changingEndpoints({ write }: Context, { reload, added }: KeptEndpoints) {
  return {
    async add(endpoint, seal) {
      const id = await write(async (tx) => {
        tx.changed('webhook_endpoints')
        const own = await insertRow(tx, insertEndpoint(endpoint))
        void tx.run('UPDATE webhook_endpoints SET secret = $2 WHERE id = $1', [own, seal(own)])
        return own
      })
      return added(id)
    },
    async change(id, decide) {
      const changed = await write(async (tx) => {
        const before = await tx.one(ENDPOINT, 'FROM webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE', [id])
        if (before === undefined) return undefined
        const after = { ...before, ...decide(before) }
        tx.changed('webhook_endpoints')
        void runBound(tx, updateEndpoint(after))
        return after
      })
      await reload()
      return changed
    },
  } satisfies Partial<EndpointStore>
}
