import { expect, test } from 'vitest'
import { isSlow, regexpsIn } from './support/regexps.ts'

/** What reads nothing that others wrote, or is quicker than it looks. */
const ALLOWED = [
  // A text in quotes ends at the next quote that has no backslash, wherever it began.
  'server/media/file-name.ts /;\\s*(',
]

test.each(['server', 'main'])('every regular expression in %s takes a time that grows with its text', (folder) => {
  const all = regexpsIn(folder)
  expect(all.length).toBeGreaterThan(0)
  const slow = all
    .filter(isSlow)
    .map(({ path, pattern, flags }) => `${path.replaceAll('\\', '/')} /${pattern}/${flags}`)
  expect(slow.filter((each) => !ALLOWED.some((beginning) => each.startsWith(beginning)))).toEqual([])
})

test.each([
  ['(a+)+$', true],
  ['^(?:a|a)*$', true],
  ['^(?:[^"\\\\]+|\\\\.)*"', true],
  ['^\\s*0*\\s*$', true],
  ['[. ]+$', true],
  ['\\[[^\\]]*\\]', true],
  ['^.*,.*,$', true],
  ['^[a-z]+:[a-z]+$', false],
  ['^"(?:[^"\\\\]|\\\\.)*"$', false],
  ['\\[[^[\\]]*\\]', false],
  ['^\\w+(?:\\.\\w+)*$', false],
])('of %s it is known whether it is slow', (pattern, expected) => {
  expect(isSlow({ pattern, flags: '' })).toBe(expected)
})
