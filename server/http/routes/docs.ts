import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { DOCS_POLICY, renderDocs } from '../docs-page.ts'
import { createOpenApi } from '../openapi.ts'
import { ANSWERED, defineRoute, Reply, type Route } from '../route.ts'

/** Returns the routes, and two more that describe all of them. */
export function withDocs(version: string, routes: readonly Route[]): Route[] {
  // Made once, because anybody may ask as often as they like, and not at the start, because it
  // would take a tenth of the start.
  let made: ReturnType<typeof describe> | undefined
  async function describe() {
    const description = await createOpenApi(all, version)
    const openapi = Buffer.from(JSON.stringify(description))
    await setImmediate()
    return { openapi, page: Buffer.from(renderDocs(description)) }
  }
  function described() {
    made ??= describe()
    return made
  }
  const all: Route[] = [
    ...routes,
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      auth: 'none',
      tag: 'Operation',
      summary: 'Get the OpenAPI 3.1 description of this API',
      description: 'The description is generated from the routes of the running version.',
      answer: z.looseObject({ openapi: z.string() }),
      handler: async () => new Reply(200, (await described()).openapi),
    }),
    defineRoute({
      method: 'GET',
      path: '/docs',
      auth: 'none',
      tag: 'Operation',
      summary: 'Get the API documentation as an HTML page',
      description: 'The page works without internet access.',
      answer: 'text/html',
      handler: async ({ res }) => {
        const { page } = await described()
        res.writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': DOCS_POLICY,
        })
        res.end(page)
        return ANSWERED
      },
    }),
  ]
  return all
}
