import { expect, test } from 'vitest'
import { CHOSEN, NOT_NOTED } from '../../server/slices/owner-acts/named.ts'
import { WORDS } from '../../server/words/index.ts'
import { startApp } from '../support/app.ts'

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  enum?: string[]
}

interface Operation {
  security?: Record<string, unknown>[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

test('every route by which an owner changes something has words in each language', async () => {
  const app = await startApp()
  const { paths } = JSON.parse((await app.fetch('/openapi.json')).text) as OpenApi
  const acts = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { security = [] }]) => method !== 'get' && security.some((way) => 'ownerToken' in way))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
  expect(acts.length).toBeGreaterThan(50)
  const wordless = acts.filter((act) => !NOT_NOTED.includes(act) && !Object.hasOwn(WORDS.en.acts, act))
  expect(wordless, 'give them words in server/words/*/acts.ts').toEqual([])
  const gone = Object.keys(WORDS.en.acts).filter((act) => !act.startsWith('tray ') && !acts.includes(act))
  expect(gone, 'these routes are no more').toEqual([])
  expect(Object.keys(WORDS.id.acts)).toEqual(Object.keys(WORDS.en.acts))
  expect(NOT_NOTED.filter((act) => !acts.includes(act))).toEqual([])
})

test('what an owner changes is called as the window calls it, in each language', async () => {
  const app = await startApp()
  const { paths, components } = JSON.parse((await app.fetch('/openapi.json')).text) as OpenApi
  const whole = (schema: Schema = {}): Schema => components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
  const membersOf = ({ requestBody }: Operation) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => Object.entries(whole(schema).properties ?? {}))
  const operations = Object.values(paths).flatMap((methods) => Object.entries(methods))
  const changed = operations.filter(([method]) => method === 'patch').flatMap(([, operation]) => membersOf(operation))
  expect(changed.length).toBeGreaterThan(50)
  const chosen = operations
    .filter(([method]) => method !== 'get')
    .flatMap(([, operation]) => membersOf(operation).filter(([name]) => CHOSEN.includes(name)))
  const names = [...changed, ...chosen].map(([name]) => name)
  const values = chosen.flatMap(([, schema]) => whole(schema).enum ?? [])
  const { actNames, actValues } = WORDS.en
  expect(names.filter((name) => !Object.hasOwn(actNames, name))).toEqual([])
  expect(values.filter((value) => !Object.hasOwn(actValues, value))).toEqual([])
  expect(Object.keys(WORDS.id.actNames)).toEqual(Object.keys(actNames))
  expect(Object.keys(WORDS.id.actValues)).toEqual(Object.keys(actValues))
})
