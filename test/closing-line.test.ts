import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { missingPrograms } from './support/closing-line.ts'
import { temporaryFolder } from './support/folder.ts'

const [, skipped = ''] = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8').split('**Skipped without**')

test('a run names the programs that are missing, and the page of the tests names them all', () => {
  const folder = temporaryFolder()
  const all = missingPrograms(folder)
  expect(all.filter((name) => !skipped.includes(name))).toEqual([])
  for (const name of ['chromium', 'php']) writeFileSync(join(folder, name), '', { mode: 0o755 })
  expect(missingPrograms(folder)).toEqual(all.filter((name) => !['Chromium', 'php'].includes(name)))
})
