import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CONCERN_CODES } from '../../server/contract/concerns.ts'
import { en } from '../../server/words/en/index.ts'

const PAGE = join(import.meta.dirname, '../../docs/concerns.md')

test('the page of concerns names every code, in their order, with what to do', () => {
  const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+)` \| (.+?) \|$/gm)]
  expect(rows.map(([, code, advice]) => [code, advice])).toEqual(
    CONCERN_CODES.map((code) => [code, en.concerns[code].advice]),
  )
})
