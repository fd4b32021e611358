import { expect, test } from 'vitest'
import { readSources } from './support/sources.ts'

const MOST_COLUMNS = 100
/** A clause in the place of the noun: "What is kept of …" for "Stored parts of …". */
const INVERTED = /\/\*\*\s+(?:\*\s+)?(?:What|Whether|Who|Of|Where|So)\b.*/g
const COMMENT = /^\s*(?:\/\*\*|\*|\/\/)/
/** Notes for tools stand on one line. */
const FOR_TOOLS = /biome-ignore|@ts-/

const sources = readSources('server', 'renderer', 'main', 'scripts', 'bench', 'test/support')
const comments = sources.flatMap(({ path, text }) =>
  text.split('\n').flatMap((line, i) => (COMMENT.test(line) ? [{ line, place: `${path}:${i + 1}` }] : [])),
)

test('a doc comment begins with the noun or the verb', () => {
  const inverted = sources.flatMap(({ path, text }) =>
    [...text.matchAll(INVERTED)].map(([words]) => `${path}: ${words}`),
  )
  expect(inverted).toEqual([])
})

test('a comment is at most 100 columns wide', () => {
  const wide = ({ line }: { line: string }) => line.length > MOST_COLUMNS && !FOR_TOOLS.test(line)
  expect(comments.filter(wide).map(({ place }) => place)).toEqual([])
})
