import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Parts of Node that a process loads which imports `module`. */
function loadedWith(module: string): string {
  const work = `await import('${module}'); console.log(process.moduleLoadList.join()); process.exit()`
  return execFileSync(process.execPath, ['--input-type=module', '-e', work], { encoding: 'utf8' })
}

test('the program does not load the HTTP client of Node beside its own, which takes memory', () => {
  const client = 'internal/deps/undici/undici'
  expect(loadedWith('node:http'), 'Node as it comes does that').toContain(client)
  const program = loadedWith(new URL('../../server/process/start.ts', import.meta.url).href)
  expect(program).toContain('NativeModule http')
  expect(program).not.toContain(client)
})
