import { expect, it } from 'vitest'
import { whenFree, whenFreeNow } from '../../server/lib/sync-folder.ts'

/** Work on a file that a virus scanner hinders as often as there are codes. */
function hindered(...codes: string[]) {
  const left = [...codes]
  const work = () => {
    const code = left.shift()
    if (code !== undefined) throw Object.assign(new Error(code), { code })
  }
  return { left, work }
}

it('tries again on Windows until the virus scanner lets go of a file', async () => {
  const late = hindered('EBUSY', 'EPERM', 'EACCES')
  await whenFree(async () => late.work(), 'win32')
  expect(late.left).toEqual([])

  const now = hindered('EBUSY', 'EPERM', 'EACCES')
  whenFreeNow(now.work, 'win32')
  expect(now.left).toEqual([])
})

it.each([
  ['win32', 'ENOENT'],
  ['linux', 'EPERM'],
] as const)('does not try again on %s after %s', async (platform, code) => {
  const { left, work } = hindered(code, code)
  await expect(whenFree(async () => work(), platform)).rejects.toMatchObject({ code })
  expect(left).toEqual([code])
})
