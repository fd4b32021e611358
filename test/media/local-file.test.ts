import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { FileNotAllowed, openLocalFile } from '../../server/media/local-file.ts'
import { temporaryFolder } from '../support/folder.ts'
import { racingSuite, startPc } from './racing.ts'

// `npm run soak` tries three thousand times.
racingSuite(300)

test.each(['linux', 'win32', 'darwin'] as const)('links of every kind are refused (%s)', async (platform) => {
  const { folder, home, read } = startPc()
  const file = join(folder, 'invoice.txt')
  writeFileSync(file, 'invoice')
  writeFileSync(join(folder, 'twice.txt'), 'invoice')
  linkSync(join(folder, 'twice.txt'), join(folder, 'again.txt'))
  linkSync(join(home, 'invoice.txt'), join(folder, 'second.txt'))
  symlinkSync(file, join(folder, 'inside.txt'))
  symlinkSync(join(home, 'invoice.txt'), join(folder, 'outside.txt'))
  symlinkSync(home, join(folder, 'way'))
  for (const name of ['twice.txt', 'again.txt', 'second.txt', 'inside.txt', 'outside.txt', 'way/invoice.txt'])
    expect(await read(name, platform), name).toBeUndefined()
  expect(await read('invoice.txt', platform)).toBe('invoice')
})

test('a folder below the allowed one is entered only where nobody can exchange it meanwhile', async () => {
  const { folder, read } = startPc()
  mkdirSync(join(folder, '2026', 'may'), { recursive: true })
  writeFileSync(join(folder, '2026', 'may', 'invoice.txt'), 'invoice')
  expect(await read('2026/may/invoice.txt', 'linux')).toBe('invoice')
  for (const platform of ['win32', 'darwin'] as const)
    expect(await read('2026/may/invoice.txt', platform)).toBeUndefined()
})

test('the data folder is never read, whatever is allowed', async () => {
  const home = temporaryFolder()
  mkdirSync(join(home, 'files'))
  for (const path of ['owner.token', 'files/a.pdf']) writeFileSync(join(home, path), 'secret')
  const way = join(temporaryFolder(), 'way')
  symlinkSync(home, way)
  const files = [home, way, dirname(home)].flatMap((folder) =>
    ['owner.token', 'files/a.pdf'].map(
      (path) => [folder, join(folder === dirname(home) ? home : folder, path)] as const,
    ),
  )
  for (const platform of ['linux', 'win32'] as const)
    for (const [folder, file] of files)
      await expect(
        openLocalFile(pathToFileURL(file).href, { folders: [folder, join(folder, 'files')], home }, platform),
        `${file} ${platform}`,
      ).rejects.toThrow(FileNotAllowed)
})
