import { ENDPOINT, type EndpointStore, insertEndpoint, UNSET_ENDPOINT, updateEndpoint } from '../endpoints.ts'
import { bound } from '../statements.ts'
import { type Context, insertRow, runBound } from './sql.ts'

/** @param reload reads them into memory again */
export function changingEndpoints({ write }: Context, reload: () => Promise<void>) {
  return {
    async add(endpoint, seal) {
      const added = await write(async (tx) => {
        tx.changed('webhook_endpoints')
        const id = await insertRow(tx, insertEndpoint(endpoint))
        const secret = seal(id)
        void runBound(tx, bound('UPDATE webhook_endpoints SET secret = $2 WHERE id = $1', id, secret))
        return { ...endpoint, ...UNSET_ENDPOINT, id, secret }
      })
      await reload()
      return added
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
