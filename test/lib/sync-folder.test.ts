import { mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { renameFile, renameFileNow } from '../../server/lib/sync-folder.ts'

/** A file that a virus scanner keeps from being renamed for as many tries as there are codes. */
function scanned(...codes: string[]) {
  const from = join(mkdtempSync(join(tmpdir(), 'kurir-rename-')), 'new')
  writeFileSync(from, 'content')
  const left = [...codes]
  const check = () => {
    const code = left.shift()
    if (code !== undefined) throw Object.assign(new Error(code), { code })
  }
  return { from, to: `${from}.name`, left, check }
}

it('renames a file on Windows once the virus scanner lets go of it', async () => {
  const late = scanned('EBUSY', 'EPERM', 'EACCES')
  await renameFile(
    late.from,
    late.to,
    async (from, to) => {
      late.check()
      await rename(from, to)
    },
    'win32',
  )
  expect(await readFile(late.to, 'utf8')).toBe('content')

  const now = scanned('EBUSY', 'EPERM', 'EACCES')
  renameFileNow(
    now.from,
    now.to,
    (from, to) => {
      now.check()
      renameSync(from, to)
    },
    'win32',
  )
  expect(await readFile(now.to, 'utf8')).toBe('content')
})

it.each([
  ['win32', 'ENOENT'],
  ['linux', 'EPERM'],
] as const)('does not try again on %s after %s', async (platform, code) => {
  const { from, to, left, check } = scanned(code, code)
  await expect(renameFile(from, to, async () => check(), platform)).rejects.toMatchObject({ code })
  expect(left).toEqual([code])
})
