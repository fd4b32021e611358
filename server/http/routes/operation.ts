import type { Registry } from 'prom-client'
import { z } from 'zod'
import { ANSWERED, defineRoute, type Route } from '../route.ts'

export interface OperationDeps {
  registry: Registry
  /** The description of the interface, made from the routes; a function, because it lists these as well. */
  openapi: () => unknown
  docsPage: () => string
}

export const operationRoutes = ({ registry, openapi, docsPage }: OperationDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/metrics',
    auth: 'key_or_owner',
    tag: 'Operation',
    summary: 'Metrics for Prometheus',
    answer: 'text/plain',
    handler: async ({ res }) => {
      const text = await registry.metrics()
      res.writeHead(200, { 'content-type': registry.contentType }).end(text)
      return ANSWERED
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/openapi.json',
    auth: 'none',
    tag: 'Operation',
    summary: 'This description (OpenAPI 3.1)',
    answer: z.looseObject({ openapi: z.string() }),
    handler: () => openapi(),
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
