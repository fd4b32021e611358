import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export interface LocalFile {
  name: string
  /** Closes the file at its end; must be destroyed if it is not read. */
  content: Readable
}

export interface LocalFileRules {
  /** Absolute paths of the folders that the owner allowed. */
  folders: readonly string[]
  /** Kurir's own data folder: nothing in it is ever sent. */
  home: string
}

const CHUNK = 64 * 1024

/** Thrown for missing and forbidden files alike, so that a caller learns nothing of this disk. */
export class FileNotAllowed extends Error {}

/** True if `path` lies below `folder`; both are absolute. */
function isBelow(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}

/**
 * Opens a file of this PC that a caller names as `file:///…`. Other programs may write to the
 * allowed folder and exchange files and folders in it at any moment, so no link below it is
 * followed, and a file with a second name (hard link) is refused.
 * @throws FileNotAllowed
 */
export async function openLocalFile(
  address: string,
  { folders, home }: LocalFileRules,
  platform = process.platform,
): Promise<LocalFile> {
  const path = pathOf(address)
  if (path === undefined) throw new FileNotAllowed()
  // Compare the paths first, so that nothing outside the folders is opened, not even to look at it.
  // That matters most for a share on another PC.
  const allowed = folders.map((folder) => resolve(folder)).filter((folder) => isBelow(folder, path))
  // Take the outermost folder, because a folder inside it could be exchanged.
  const [folder] = allowed.toSorted((a, b) => a.length - b.length)
  if (folder === undefined) throw new FileNotAllowed()
  const parts = relative(folder, path).split(sep)
  try {
    const handle = await (platform === 'linux' ? openByHandles(folder, parts, home) : openDirectly(folder, parts, home))
    return { name: basename(path), content: handle.createReadStream({ highWaterMark: CHUNK }) }
  } catch {
    throw new FileNotAllowed()
  }
}

function pathOf(address: string): string | undefined {
  try {
    return fileURLToPath(address)
  } catch {
    return undefined
  }
}

/** Opens each part of a path within its open parent, because an open folder cannot be exchanged. */
async function openByHandles(folder: string, parts: string[], home: string): Promise<FileHandle> {
  const passed: FileHandle[] = []
  async function enter(path: string, flags: number): Promise<string> {
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | flags)
    passed.push(handle)
    const here = `/proc/self/fd/${handle.fd}`
    await refuseHome(await realpath(here), home)
    return here
  }
  try {
    let here = await enter(folder, 0)
    for (const part of parts.slice(0, -1)) here = await enter(join(here, part), constants.O_NOFOLLOW)
    const name = parts.at(-1) ?? ''
    return await openPlainFile(join(here, name), async ({ fd }) => {
      // The file's second name may be removed just before its names are counted. Linux reports the
      // name by which an open file was opened, and marks it if that name is gone.
      const isThere = (await readlink(`/proc/self/fd/${fd}`)) === join(await readlink(here), name)
      if (!isThere) throw new Error('its name was removed')
    })
  } finally {
    await Promise.all(passed.map((handle) => handle.close()))
  }
}

/**
 * Opens a file on Windows and macOS, which cannot open a path within an open folder. A folder below
 * the allowed one could be exchanged for a junction or a link, so only files directly in the
 * allowed folder are opened.
 */
async function openDirectly(folder: string, parts: string[], home: string): Promise<FileHandle> {
  if (parts.length > 1) throw new Error('it lies in another folder below')
  const real = await realpath(folder)
  await refuseHome(real, home)
  return openPlainFile(join(real, parts[0] ?? ''))
}

async function refuseHome(folder: string, home: string): Promise<void> {
  const own = await realpath(home)
  if (folder === own || isBelow(own, folder)) throw new Error('it is a folder of Kurir')
}

/** Opens a file that has this name and no other. @param check throws to refuse the open file */
async function openPlainFile(path: string, check?: (handle: FileHandle) => Promise<void>): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer. Windows has neither flag.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0))
  try {
    const opened = await handle.stat({ bigint: true })
    // `lstat` follows no link. A hard link to a file of another folder makes two names.
    const named = await lstat(path, { bigint: true })
    if (!named.isFile() || named.nlink !== 1n) throw new Error('not a file, or one with several names')
    if (named.dev !== opened.dev || named.ino !== opened.ino) throw new Error('it was exchanged')
    await check?.(handle)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}
