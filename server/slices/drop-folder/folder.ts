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
/** The most files of one look; others are found when these are gone. */
const MOST_FILES = 500
const MOST_ENTRIES = 20_000
const MOST_NAMES = 50
/** Bytes of a name in `sent` or `failed`: disks take 255, and a number and an ending may follow. */
const LONGEST_NAME = 200
const LONGEST_ENDING = 16

/** The folder is gone, or another one lies in its place. */
export class FolderAway extends Error {}

/** The folder and those below it, held open where the system can do so: nobody exchanges them. */
export interface Places {
  inbox: string
  sent: string
  failed: string
  close: () => Promise<void>
}

/** A file as it was seen. */
export interface Found {
  name: string
  size: number
  changedAt: number
  /** Other than before: somebody still writes it. */
  print: string
  /** A file with one name, no link. */
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
 * Makes an empty folder, or one that was the drop folder before, the drop folder: every file in it
 * will be moved.
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

/** Opens the folder. @throws FolderAway, or what the system says */
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
    // An empty place where a drive is put in has neither.
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
 * Files of the folder, the oldest one first; `nameless` have names that are no text.
 * @param isHeldUp a file that could not be taken so far, and does not count among those of a look
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

/** A file as it is now; undefined: it is gone, or is a folder. */
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
  // Network drives may number a file in another way each time.
  print: `${stats.size} ${stats.mtimeMs}`,
  isPlain: stats.isFile() && stats.nlink === 1,
})

/** How many files lie in `failed/` beside the text that says why. */
export async function countFailed({ failed }: Places): Promise<number> {
  const names = new Set<string>()
  for await (const { name } of await opendir(failed)) if (names.add(name).size === MOST_ENTRIES) break
  return [...names].filter((name) => names.has(name + WHY)).length
}

/**
 * Moves a file under a name that is free there; resolves with that name, undefined where it is
 * another file by now, which stays.
 * @param note hears the name before the file has it
 */
async function moveTo(from: string, to: string, file: Found, why?: string, note?: (name: string) => Promise<void>) {
  const name = await freeName(to, shortened(sanitise(file.name)) || 'file')
  if (why !== undefined) {
    // Never through a link that somebody laid there.
    await rm(join(to, name + WHY), { force: true })
    await writeFile(join(to, name + WHY), why, { flag: 'wx' })
  }
  await note?.(name)
  if ((await look(from, file.name))?.print !== file.print) return undefined
  await rename(join(from, file.name), join(to, name))
  // One that a power cut lays back is found again: what was cancelled since would be sent.
  for (const folder of [to, from]) await syncWhereItCan(folder)
  if ((await look(to, name))?.print === file.print) return name
  // It was exchanged in between.
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
    // A text that was dropped, and refused, has a text of its own beside it.
    const isFree = !(await isThere(join(folder, free))) && !(await isThere(join(folder, free + WHY + WHY)))
    if (isFree) return free
  }
  return `${stem} (${crypto.randomUUID()})${ending}`
}

/**
 * @param why a text that is laid beside it first
 * @param note hears the name before the file has it
 */
export const moveToSent = (
  { inbox, sent }: Places,
  file: Found,
  why: string | undefined,
  note: (name: string) => Promise<void>,
): Promise<string | undefined> => moveTo(inbox, sent, file, why, note)

/** Moves a file away with a text that says why; that is there first. */
export const moveToFailed = (
  { inbox, sent, failed }: Places,
  file: Found,
  why: string,
  from: 'inbox' | 'sent' = 'inbox',
): Promise<string | undefined> => moveTo(from === 'inbox' ? inbox : sent, failed, file, why)

/** True while the text that says why lies beside a file in `sent`. */
export const hasWhy = async ({ sent }: Places, name: string): Promise<boolean> => isThere(join(sent, name + WHY))
