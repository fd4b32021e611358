import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openLocalFile } from '../../server/media/local-file.ts'
import { temporaryFolder } from '../support/folder.ts'

const RACER = join(import.meta.dirname, '../support/racer.mjs')

/** A folder that may be read, and one with a secret. */
export function startPc() {
  const folder = temporaryFolder()
  const home = temporaryFolder()
  writeFileSync(join(home, 'invoice.txt'), 'secret')
  const open = (path: string, platform?: NodeJS.Platform) =>
    openLocalFile(pathToFileURL(join(folder, path)).href, { folders: [folder], home }, platform)
  /** Reads a file as a caller does; undefined: it is refused. */
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

/** Somebody exchanges names while they are opened so often; until both names were met at least. */
export function racingSuite(tries: number): void {
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
      const got = new Set<string | undefined>()
      for (let tried = 0; tried < tries || !got.has('invoice') || !got.has(undefined); tried += 1)
        got.add(await read(path, platform))
      // A file that is opened before its content is written is empty.
      got.delete('')
      expect([...got].toSorted(), 'it was opened, and it was refused').toEqual(['invoice', undefined])
    },
  )
}
