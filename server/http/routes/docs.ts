import { z } from 'zod'
import { ANSWERED, defineRoute, Reply, type Route } from '../route.ts'

export interface DocsDeps {
  /** The description of the interface, made from the routes; a function, because it lists these as well. */
  openapi: () => Buffer
  docsPage: () => Buffer
}

export const docsRoutes = ({ openapi, docsPage }: DocsDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/openapi.json',
    auth: 'none',
    tag: 'Operation',
    summary: 'This description (OpenAPI 3.1)',
    answer: z.looseObject({ openapi: z.string() }),
    handler: () => new Reply(200, openapi()),
  }),
  defineRoute({
    method: 'GET',
    path: '/docs',
    auth: 'none',
    tag: 'Operation',
    summary: 'This description as a page',
    answer: 'text/html',
    handler: ({ res }) => {
      res.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      })
      res.end(docsPage())
      return ANSWERED
    },
  }),
]
