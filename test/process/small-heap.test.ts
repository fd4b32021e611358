import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// (func (export "f") (param i32) (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))))
const COUNTS_DOWN = '0061736d0100000001050160017f0003020100070501016600000a10010e000340200041016b22000d000b0b'

/** What V8 says that it compiles while a WebAssembly function runs long, in a process that has begun with `first`. */
function compiledAfter(first: string): string {
  const work = `new WebAssembly.Instance(new WebAssembly.Module(Buffer.from('${COUNTS_DOWN}', 'hex'))).exports.f(50_000_000)`
  const flags = ['--trace-wasm-compilation-times', '--wasm-sync-tier-up', '--input-type=module']
  return execFileSync(process.execPath, [...flags, '-e', `${first}; ${work}`], { encoding: 'utf8' })
}

test('WebAssembly that runs often is not compiled a second time, which takes memory', () => {
  expect(compiledAfter(''), 'V8 as it comes does that').toContain('TurboFan')
  const file = new URL('../../server/lib/heap.ts', import.meta.url).href
  const own = compiledAfter(`import { keepHeapSmall } from '${file}'; keepHeapSmall()`)
  expect(own).toContain('Liftoff')
  expect(own).not.toContain('TurboFan')
})

/** Prints whether the heap is kept small when the first large part of the program is loaded, and ends. */
const LOOKS = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  const loaded = next(url, context)
  if (url.endsWith('/composition/app.ts')) { console.log(globalThis.isSmall === true); process.exit() }
  if (!url.endsWith('/lib/heap.ts')) return loaded
  return { ...loaded, source: String(loaded.source).replace('fitYoungHeap()', '$&; globalThis.isSmall = true') }
} })`

test.each([
  ['main.ts', []],
  ['cli.ts', ['start']],
])('the heap is kept small before %s loads the program, which would let it grow', (entry, words) => {
  const hooks = ['--import', `data:text/javascript,${encodeURIComponent(LOOKS)}`]
  const file = join(import.meta.dirname, '..', '..', 'server', entry)
  expect(execFileSync(process.execPath, [...hooks, file, ...words], { encoding: 'utf8' })).toBe('true\n')
})
