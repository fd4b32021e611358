import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

test('docs/openapi.json is what the routes say', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/openapi.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})
