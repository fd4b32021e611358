import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openLocalFile } from '../../server/media/local-file.ts'
import { temporaryFolder } from '../support/folder.ts'

const RACER = join(import.meta.dirname, '../support/racer.mjs')
const TRIES = 3_000

function startPc() {
  const folder = temporaryFolder()
  const home = temporaryFolder()
  writeFileSync(join(home, 'invoice.txt'), 'secret')
  const open = (path: string, platform?: NodeJS.Platform) =>
    openLocalFile(pathToFileURL(join(folder, path)).href, { folders: [folder], home }, platform)
  /** What a caller gets; undefined: it is refused. */
  const read = async (path: string, platform?: NodeJS.Platform) => {
    const file = await open(path, platform).catch(() => undefined)
    return file && text(file.content)
  }
  return { folder, home, read }
}

async function race(how: string, folder: string, target: string): Promise<void> {
  const racer = spawn(process.execPath, [RACER, how, folder, target], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(racer, 'exit')
  onTestFinished(async () => {
    racer.kill()
    await ended
  })
  await once(racer.stdout, 'data')
}

test.each([
  ['its name and a link', 'link', 'invoice.txt', 'linux'],
  ['its name and a link', 'link', 'invoice.txt', 'win32'],
  ['its name and a second name of the secret', 'hardLink', 'invoice.txt', 'linux'],
  ['its folder and a link', 'folder', 'may/invoice.txt', 'linux'],
] as const)(
  'who exchanges %s while Kurir opens it gets nothing of another folder (%s, %s, %s)',
  async (_, how, path, platform) => {
    const { folder, home, read } = startPc()
    await race(how, folder, how === 'folder' ? home : join(home, 'invoice.txt'))
    const got = new Map<string | undefined, number>()
    for (let tries = 0; tries < TRIES; tries += 1) {
      const content = await read(path, platform)
      got.set(content, (got.get(content) ?? 0) + 1)
    }
    // A file that is opened before its content is written is empty.
    got.delete('')
    expect([...got.keys()].toSorted(), 'it was opened, and it was refused').toEqual(['invoice', undefined])
  },
)

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
      ).rejects.toMatchObject({ code: 'invalid_request' })
})
