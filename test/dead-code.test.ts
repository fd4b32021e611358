import { expect, test } from 'vitest'
import { readSources, type Source } from './support/sources.ts'

const program = readSources('server', 'main', 'renderer')
const users = [...program, ...readSources('bench', 'scripts')]
const all = [...users, ...readSources('test')]

/** Files that something outside of the sources starts. */
const ENTRIES = [
  'main/main.ts',
  'main/preload.cts',
  'renderer/main.tsx',
  'renderer/vite.config.ts',
  // Files of worker threads.
  'server/connections/linked/media/thumbnail-worker.ts',
  'server/store/sqlite/check-thread.ts',
  'server/store/sqlite/reader-thread.ts',
  'server/media/spreadsheets/reading-thread.ts',
  'server/cli.ts',
  'server/main.ts',
]

const EXPORTED = /^export (?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm

const countIn = ({ code }: Source, name: string): number => code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0

test('every file of the program is used', () => {
  const imported = new Set(all.flatMap(({ imports }) => imports.map(({ target }) => target)))
  const unused = program.map(({ path }) => path).filter((path) => !imported.has(path) && !ENTRIES.includes(path))
  expect(unused.filter((path) => !path.endsWith('.d.ts'))).toEqual([])
})

/** What a test sees the program by. */
const FOR_TESTS = ['watchSelects']

test('every export of the program is used, and not by tests alone', () => {
  const unused = program.flatMap((source) =>
    [...source.code.matchAll(EXPORTED)]
      .map(([, name = '']) => name)
      .filter((name) => !FOR_TESTS.includes(name))
      .filter(
        (name) => countIn(source, name) < 2 && !users.some((other) => other !== source && countIn(other, name) > 0),
      )
      .map((name) => `${source.path} ${name}`),
  )
  expect(unused).toEqual([])
})
