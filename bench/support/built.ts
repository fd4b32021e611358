import { request } from 'undici'

type Program = Pick<typeof import('../../server/composition/app.ts'), 'createApp'> &
  Pick<typeof import('../../server/settings/config.ts'), 'readConfig'> &
  Pick<typeof import('../../server/lib/logger.ts'), 'createLogger'>
type Options = Parameters<Program['createApp']>[1]

const load = async (path: string): Promise<unknown> =>
  import(new URL(`../../dist/server/${path}`, import.meta.url).href)

/** Starts the program as shipped: from built files, without Node's type stripping. */
export async function startBuilt(home: string, environment: NodeJS.ProcessEnv = {}, options: Partial<Options> = {}) {
  const { keepHeapSmall } = (await load('lib/heap.js')) as typeof import('../../server/lib/heap.ts')
  keepHeapSmall()
  const parts = await Promise.all(['composition/app.js', 'settings/config.js', 'lib/logger.js'].map(load))
  const { createApp, createLogger, readConfig } = Object.assign({}, ...parts) as Program
  const { config } = readConfig({
    KURIR_HOME: home,
    KURIR_PORT: '0',
    KURIR_WEBHOOK_PORT: '0',
    KURIR_OWNER_TOKEN: 'bench-owner-token-0123456789-0123456789',
    ...environment,
  })
  const app = await createApp(config, { logger: createLogger('silent'), ...options })
  await app.start()
  return {
    app,
    /** Makes a call as the owner. Resolves with the answer's `data`. */
    async call<T = Record<string, string>>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
      // Node's own `fetch` would load a second HTTP client that the program does not use.
      const answer = await request(app.apiUrl() + path, {
        method,
        headers: { authorization: `Bearer ${app.ownerToken}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      })
      if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${await answer.body.text()}`)
      return ((await answer.body.json()) as { data: T }).data
    },
  }
}
