// Checks a change: format, lint, types and build, then the tests. `all` adds the long tests,
// `types` checks types alone. Everything before the tests runs at once, because each part leaves a
// core idle for half of its time.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { inRoot, root } from './lib/paths.mjs'

const TSC = ['node_modules/typescript/bin/tsc', '--noEmit', '--incremental']
// Incremental, because unchanged files take a tenth of the time.
const TYPES = ['tsconfig.json', 'renderer/tsconfig.json', 'test/renderer/tsconfig.json'].map((file) => [
  ...TSC,
  ...['--tsBuildInfoFile', `node_modules/.cache/types/${file.replaceAll('/', '-')}buildinfo`, '-p', file],
])
const LINT = ['node_modules/@biomejs/biome/bin/biome', 'ci', '.']
const BUILD = ['scripts/ensure.mjs', '--build']
const [what] = process.argv.slice(2)
const QUICK = ['--config', 'vitest.quick.config.ts']
const TESTS = ['node_modules/vitest/vitest.mjs', 'run', ...(what === 'all' ? [] : QUICK)]

const onlyTypes = what === 'types'
const passed = await Promise.all((onlyTypes ? TYPES : [LINT, ...TYPES, BUILD]).map((command) => run(command, 'pipe')))
process.exitCode = passed.every(Boolean) && (onlyTypes || (await run(TESTS, 'inherit'))) ? 0 : 1

/**
 * Runs a script of this repository and shows its output when it has ended. Resolves with true if it
 * succeeded.
 * @param {string[]} command a script and its arguments
 * @param {'pipe' | 'inherit'} output
 */
async function run([script, ...args], output) {
  const child = spawn(process.execPath, [inRoot(script), ...args], { cwd: root, stdio: ['ignore', output, output] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  if (child.stdout && child.stderr) {
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    process.stdout.write(out)
    process.stderr.write(err)
  }
  const code = await ended
  if (code !== 0) console.error(`Failed: ${[script, ...args].join(' ')}`)
  return code === 0
}
