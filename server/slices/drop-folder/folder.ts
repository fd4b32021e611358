import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, opendir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { extname, isAbsolute, join, relative } from 'node:path'
import { syncWhereItCan } from '../../lib/sync-folder.ts'
import { sanitise } from '../../media/file-name.ts'
import { fieldProblem, folderProblem, invalidRequest } from '../../words/errors.ts'
import { isIgnored } from './name.ts'

const SENT = 'sent'
const FAILED = 'failed'
const WHY = '.txt'
/** Most files of one look; a later look finds the rest once these are gone. */
const MOST_FILES = 500
const MOST_ENTRIES = 20_000
const MOST_NAMES = 50
/**
 * Bytes of a name in `sent` or `failed`. Disks allow 255, and a number and an ending may follow.
 */
const LONGEST_NAME = 200
const LONGEST_ENDING = 16

/** The folder is missing, or another one is in its place. */
export class FolderAway extends Error {}

/**
 * Paths of the folder and its subfolders. On Linux they are held open, so nobody can exchange them.
 */
export interface Places {
  inbox: string
  sent: string
  failed: string
  close: () => Promise<void>
}

export interface Found {
  name: string
  size: number
  changedAt: number
  /**
   * Size and time of the last change; a different value means that somebody still writes the file.
   */
  print: string
  /** A regular file with a single hard link. */
  isPlain: boolean
}

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )

/**
 * Turns a folder into the drop folder. Refuses a folder with files unless it was the drop folder
 * before, because every file in it will be moved.
 * @throws ApiError `invalid_request`
 */
export async function takeFolder(folder: string, home: string): Promise<void> {
  const refuse = (code: Parameters<typeof fieldProblem>[1], values = {}) =>
    invalidRequest([fieldProblem('folder', code, values)])
  if (!isAbsolute(folder)) throw refuse('not_a_whole_path', { example: 'C:\\Kurir\\Kirim' })
  try {
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    const real = await realpath(folder)
    const own = await realpath(home)
    if (isInside(own, real) || isInside(real, own)) throw refuse('folder_of_kurir')
    const isKnown = (await isThere(join(real, SENT))) && (await isThere(join(real, FAILED)))
    if (!isKnown && (await hasEntries(real))) throw refuse('folder_not_empty')
    for (const name of [SENT, FAILED]) await makeFolder(join(real, name))
    const probe = join(real, FAILED, `.kurir-${process.pid}`)
    await writeFile(probe, '')
    await rm(probe)
  } catch (error) {
    throw folderProblem(error)
  }
}

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return !inside.startsWith('..') && !isAbsolute(inside)
}

async function hasEntries(folder: string): Promise<boolean> {
  for await (const { name } of await opendir(folder)) if (!isIgnored(name)) return true
  return false
}

const makeFolder = (path: string): Promise<unknown> =>
  mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })

/** @throws FolderAway or the system's error */
export async function openPlaces(folder: string, platform = process.platform): Promise<Places> {
  const handles: FileHandle[] = []
  const close = async (): Promise<void> => void (await Promise.all(handles.map((handle) => handle.close())))

  async function enter(path: string, flags: number): Promise<string> {
    if (platform !== 'linux') {
      if (!(await lstat(path)).isDirectory()) throw new FolderAway(`${path} is no folder`)
      return path
    }
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | flags)
    handles.push(handle)
    return `/proc/self/fd/${handle.fd}`
  }

  try {
    const inbox = await enter(platform === 'linux' ? folder : await realpath(folder), 0)
    const below = [SENT, FAILED].map((name) => join(inbox, name))
    const there = await Promise.all(below.map(isThere))
    // An empty mount point has neither subfolder.
    if (!there.includes(true)) throw new FolderAway(`${folder} is another folder than the chosen one`)
    for (const path of below) await makeFolder(path)
    const [sent = '', failed = ''] = [
      await enter(join(inbox, SENT), constants.O_NOFOLLOW),
      await enter(join(inbox, FAILED), constants.O_NOFOLLOW),
    ]
    return { inbox, sent, failed, close }
  } catch (error) {
    await close()
    if (isMissing(error)) throw new FolderAway(`${folder} is not there`, { cause: error })
    throw error
  }
}

/**
 * Returns the files of the folder, oldest first. `nameless`: number of names that are no valid
 * Unicode.
 * @param isHeldUp true for files that failed or wait, which do not count towards MOST_FILES
 */
export async function listFiles(
  { inbox }: Places,
  isHeldUp: (name: string) => boolean,
): Promise<{ files: Found[]; nameless: number }> {
  const found: Found[] = []
  let fresh = 0
  let seen = 0
  let nameless = 0
  for await (const entry of await opendir(inbox)) {
    seen += 1
    if (seen > MOST_ENTRIES || fresh === MOST_FILES) break
    if (entry.isDirectory() || isIgnored(entry.name)) continue
    const file = await look(inbox, entry.name)
    if (file !== undefined) {
      found.push(file)
      if (!isHeldUp(entry.name)) fresh += 1
    } else if (entry.name.includes('\ufffd')) nameless += 1
  }
  return { files: found.toSorted((a, b) => a.changedAt - b.changedAt || (a.name < b.name ? -1 : 1)), nameless }
}

/** Returns a file's current state; undefined if it is gone or is a folder. */
export async function look(folder: string, name: string): Promise<Found | undefined> {
  try {
    const stats = await lstat(join(folder, name))
    return stats.isDirectory() ? undefined : foundAs(name, stats)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const foundAs = (name: string, stats: Stats): Found => ({
  name,
  size: stats.size,
  changedAt: stats.mtimeMs,
  // Without the inode, because network drives may report another number each time.
  print: `${stats.size} ${stats.mtimeMs}`,
  isPlain: stats.isFile() && stats.nlink === 1,
})

/** Counts the files in `failed/` whose explanation (.txt) still lies beside them. */
export async function countFailed({ failed }: Places): Promise<number> {
  const names = new Set<string>()
  for await (const { name } of await opendir(failed)) if (names.add(name).size === MOST_ENTRIES) break
  return [...names].filter((name) => names.has(name + WHY)).length
}

/**
 * Moves a file under a name that is free in the target folder, and resolves with that name.
 * Resolves with undefined if the file was exchanged meanwhile; it then stays.
 * @param why text of the explanation, written first
 * @param note receives the name before the file is moved
 */
async function moveTo(from: string, to: string, file: Found, why?: string, note?: (name: string) => Promise<void>) {
  const name = await freeName(to, shortened(sanitise(file.name)) || 'file')
  if (why !== undefined) {
    // Remove and recreate it, so that the write never follows a planted link.
    await rm(join(to, name + WHY), { force: true })
    await writeFile(join(to, name + WHY), why, { flag: 'wx' })
  }
  await note?.(name)
  if ((await look(from, file.name))?.print !== file.print) return undefined
  await rename(join(from, file.name), join(to, name))
  // Sync both folders: if a power cut undid the move, the file would be found again, and a message
  // that was cancelled since would be sent.
  for (const folder of [to, from]) await syncWhereItCan(folder)
  if ((await look(to, name))?.print === file.print) return name
  // Another file took the place of the expected one before the rename: move it back.
  if (!(await isThere(join(from, file.name)))) await rename(join(to, name), join(from, file.name))
  return undefined
}

function shortened(name: string): string {
  const ending = extname(name).length > LONGEST_ENDING ? '' : extname(name)
  const stem = [...name.slice(0, name.length - ending.length)]
  while (Buffer.byteLength(stem.join('') + ending) > LONGEST_NAME) stem.pop()
  return stem.join('') + ending
}

async function freeName(folder: string, name: string): Promise<string> {
  const ending = extname(name)
  const stem = name.slice(0, name.length - ending.length)
  for (let n = 1; n <= MOST_NAMES; n += 1) {
    const free = n === 1 ? name : `${stem} (${n})${ending}`
    // If `free`.txt is a refused file itself, not an explanation, then `free`.txt.txt explains it.
    const isFree = !(await isThere(join(folder, free))) && !(await isThere(join(folder, free + WHY + WHY)))
    if (isFree) return free
  }
  return `${stem} (${crypto.randomUUID()})${ending}`
}

/**
 * @param why explanation that is written beside the file first
 * @param note receives the name before the file is moved
 */
export const moveToSent = (
  { inbox, sent }: Places,
  file: Found,
  why: string | undefined,
  note: (name: string) => Promise<void>,
): Promise<string | undefined> => moveTo(inbox, sent, file, why, note)

/** Moves a file to `failed/`; its explanation is written first. */
export const moveToFailed = (
  { inbox, sent, failed }: Places,
  file: Found,
  why: string,
  from: 'inbox' | 'sent' = 'inbox',
): Promise<string | undefined> => moveTo(from === 'inbox' ? inbox : sent, failed, file, why)

/** Returns true while a file in `sent/` has an explanation beside it. */
export const hasWhy = async ({ sent }: Places, name: string): Promise<boolean> => isThere(join(sent, name + WHY))
