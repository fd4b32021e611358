import type { TestApp } from './app.ts'

export interface KnownRoute {
  method: string
  /** With parameters as `{name}`. */
  path: string
}

interface OpenApi {
  paths: Record<string, Record<string, object>>
}

/** Every route that the program serves, from its own description: a new one cannot be forgotten. */
export async function routesOf(app: TestApp): Promise<KnownRoute[]> {
  const { text } = await app.fetch('/openapi.json')
  const { paths } = JSON.parse(text) as OpenApi
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  )
}

/** The route's address with something that does not exist in place of each parameter. */
export const withNobody = (path: string): string => path.replaceAll(/\{\w+\}/g, 'NOBODY')
