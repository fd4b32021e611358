import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'

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

test.runIf(process.platform === 'linux')('drives that do not answer leave threads to all other files', () => {
  // Whoever opens one waits, as with a share whose server is gone.
  const silent = Array.from({ length: 8 }, (_, n) => join(temporaryFolder(), `${n}`))
  execFileSync('mkfifo', silent)
  const first = join(import.meta.dirname, '../../server/process/first.ts')
  const work = `await import('${first}')
    const { open, readFile } = await import('node:fs/promises')
    for (const path of ${JSON.stringify(silent)}) void open(path)
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 60_000)
    await readFile('${first}')
    process.kill(process.pid, 'SIGTERM')`
  expect(spawnSync(process.execPath, ['--input-type=module', '-e', work]).signal).toBe('SIGTERM')
})
