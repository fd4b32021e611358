import { expect, test } from 'vitest'
import { NOT_NOTED } from '../../server/owner-acts/named.ts'
import { WORDS } from '../../server/words/index.ts'
import { startApp } from '../support/app.ts'

interface OpenApi {
  paths: Record<string, Record<string, { security?: Record<string, unknown>[] }>>
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
