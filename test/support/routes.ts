import type { TestApp } from './app.ts'

export interface KnownRoute {
  method: string
  /** With parameters as `{name}`. */
  path: string
}

interface OpenApi {
  paths: Record<string, Record<string, object>>
}

/** Returns every route from the program's own description, so that none can be forgotten. */
export async function routesOf(app: TestApp): Promise<KnownRoute[]> {
  const { text } = await app.fetch('/openapi.json')
  const { paths } = JSON.parse(text) as OpenApi
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  )
}

/** Returns the path with an id that does not exist for each parameter. */
export const withNobody = (path: string): string => path.replaceAll(/\{\w+\}/g, 'NOBODY')
