import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packFolder } from '../../scripts/lib/archive.mjs'
import { temporaryFolder } from '../support/folder.ts'

/** The folder `kurir` with two files, as two checkouts leave it: made in another order, at another time. */
function layOut(names: string[], mode: number, minutes: number): string {
  const parent = temporaryFolder()
  mkdirSync(join(parent, 'kurir'))
  for (const name of names) {
    const file = join(parent, 'kurir', name)
    writeFileSync(file, name)
    chmodSync(file, mode)
    utimesSync(file, minutes * 60, minutes * 60)
  }
  return parent
}

test.skipIf(process.platform !== 'linux')(
  'the archive of a version is the same, bit by bit, from every checkout',
  () => {
    const archives = [layOut(['a', 'b'], 0o644, 1), layOut(['b', 'a'], 0o664, 2)].map((parent) => {
      const file = join(parent, 'kurir.tar.gz')
      packFolder({ parent, name: 'kurir', file, seconds: 1_790_000_000 })
      return readFileSync(file)
    })
    expect(archives[0]?.length).toBeGreaterThan(100)
    expect(archives[0]?.equals(archives[1] ?? Buffer.alloc(0))).toBe(true)
  },
)
