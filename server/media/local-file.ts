import { constants } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fieldProblem, invalidRequest } from '../contract/errors.ts'

export interface LocalFile {
  name: string
  /** Reads to the end, then closes. */
  content: AsyncIterable<Buffer>
}

export interface LocalFileRules {
  /** Folders that the owner allowed, absolute. */
  folders: readonly string[]
  /** Kurir's own data folder: nothing in it is ever sent. */
  home: string
}

const CHUNK = 64 * 1024

/** The same for a file that is missing and one that is forbidden: a caller learns nothing about this PC's disk. */
const refused = () => invalidRequest([fieldProblem('file', 'not_an_allowed_file')])

/** Whether `path` lies below `folder`; both absolute. Pure. */
export function isBelow(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}

/**
 * Opens a file of this PC that a caller names as `file:///…`. What is checked is the opened file itself: links in its
 * path may lead anywhere and be changed at any moment.
 * @throws ApiError `invalid_request`
 */
export async function openLocalFile(address: string, { folders, home }: LocalFileRules): Promise<LocalFile> {
  const path = pathOf(address)
  // By its spelling first: nothing outside is even opened, a share on another PC least of all.
  if (path === undefined || !folders.some((folder) => isBelow(resolve(folder), path))) throw refused()
  // Without O_NONBLOCK a named pipe would wait for its writer.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined)
  if (handle === undefined) throw refused()
  try {
    await check(handle, path, { folders, home })
  } catch {
    await handle.close()
    throw refused()
  }
  return { name: basename(path), content: handle.createReadStream({ highWaterMark: CHUNK }) }
}

function pathOf(address: string): string | undefined {
  try {
    return fileURLToPath(address)
  } catch {
    return undefined
  }
}

/** The opened file is the one that a name below an allowed folder leads to, after all links. */
async function check(handle: FileHandle, path: string, { folders, home }: LocalFileRules): Promise<void> {
  const opened = await handle.stat({ bigint: true })
  if (!opened.isFile()) throw new Error('not a file')
  const real = await realpath(path)
  const named = await stat(real, { bigint: true })
  if (named.dev !== opened.dev || named.ino !== opened.ino) throw new Error('it was exchanged')
  if (isBelow(await realpath(home), real)) throw new Error('it is a file of Kurir')
  const allowed = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)))
  if (!allowed.some((folder) => folder !== null && isBelow(folder, real))) throw new Error('it leads elsewhere')
}
