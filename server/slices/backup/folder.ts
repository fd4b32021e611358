import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { localDay } from '../../lib/local-time.ts'
import { renameFile, syncWhereItCan } from '../../lib/sync-folder.ts'
import { fieldProblem, folderProblem, invalidRequest } from '../../words/errors.ts'

/** Number of days and of weeks whose newest backup is kept. */
const DAYS_KEPT = 7
const WEEKS_KEPT = 4
const FILE = /^kurir-(\d{4})-(\d\d)-(\d\d)-(\d\d)(\d\d)(\d\d)\.kurirbackup$/
const PART = '.part'
/** Marker file: an empty mount point or another drive does not have it. */
const MARK = 'kurir-backups.txt'

export interface BackupFile {
  name: string
  /** Start time from the file name (this PC's local time), in milliseconds since 1970. */
  at: number
  bytes: number
}

export class FolderAway extends Error {}

/**
 * Returns the marker's text: it tells a person how to use the backups, and its hash identifies the
 * Kurir that made them.
 */
const markOf = (id: string): string =>
  [
    'Backups of Kurir lie in this folder. To use one: install Kurir, choose "I have a backup", and type the key of the emergency sheet.',
    'Di folder ini tersimpan cadangan Kurir. Untuk memakainya: pasang Kurir, pilih "Saya punya cadangan", lalu ketik kunci dari lembar darurat.',
    '',
    createHash('sha256').update(id).digest('hex'),
    '',
  ].join('\r\n')

/** Returns false for a marker whose write was cut off. */
const isWhole = (mark: string): boolean => /^[0-9a-f]{64}\r\n$/m.test(mark)

/** @throws FolderAway if the folder is missing or has another marker */
async function checkMark(folder: string, id: string): Promise<void> {
  const found = await readFile(join(folder, MARK), 'utf8').catch(() => undefined)
  if (found !== markOf(id)) throw new FolderAway(`${folder} is not there, or is another folder than the chosen one`)
}

/**
 * Marks a folder as the one for this Kurir's backups, and creates it if needed.
 * @throws ApiError `invalid_request`
 */
export async function takeFolder(folder: string, id: string, home: string): Promise<void> {
  const refuse = (code: Parameters<typeof fieldProblem>[1], values = {}) =>
    invalidRequest([fieldProblem('folder', code, values)])
  if (!isAbsolute(folder)) throw refuse('not_a_whole_path', { example: 'E:\\Kurir' })
  try {
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    if (!(await stat(folder)).isDirectory()) throw refuse('no_such_folder')
    const inside = relative(await realpath(home), await realpath(folder))
    if (!inside.startsWith('..') && !isAbsolute(inside)) throw refuse('folder_of_kurir')
    const found = await readFile(join(folder, MARK), 'utf8').catch(() => undefined)
    if (found !== undefined && isWhole(found) && found !== markOf(id)) throw refuse('folder_taken')
    await writeFile(join(folder, `${MARK}.new`), markOf(id), { flush: true })
    await renameFile(join(folder, `${MARK}.new`), join(folder, MARK))
    await syncWhereItCan(folder)
  } catch (error) {
    throw folderProblem(error)
  }
}

/** Checks the marker and removes unfinished backups from the folder. @throws FolderAway */
export async function openFolder(folder: string, id: string): Promise<void> {
  await checkMark(folder, id)
  for (const name of await readdir(folder))
    if (name.endsWith(PART) && FILE.test(name.slice(0, -PART.length))) await rm(join(folder, name), { force: true })
}

/** Resolves with finished backups, newest first; empty if the folder is away. */
export async function listFolder(folder: string, id: string): Promise<BackupFile[]> {
  try {
    await checkMark(folder, id)
    const names = (await readdir(folder))
      .filter((name) => FILE.test(name))
      .sort()
      .reverse()
    return await Promise.all(
      names.map(async (name) => ({ name, at: momentOf(name), bytes: (await stat(join(folder, name))).size })),
    )
  } catch {
    return []
  }
}

export function nameOf(now: number): string {
  const date = new Date(now)
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0'))
  return `kurir-${localDay(now)}-${time.join('')}.kurirbackup`
}

export const partOf = (name: string): string => `${name}${PART}`

function momentOf(name: string): number {
  const [year = 0, month = 1, day = 1, ...time] = FILE.exec(name)?.slice(1).map(Number) ?? []
  const [hour = 0, minute = 0, second = 0] = time
  return new Date(year, month - 1, day, hour, minute, second).getTime()
}

/**
 * Returns the names of backups to delete. Kept are the newest of each of the last seven days that
 * have a backup, and of each of the last four such weeks.
 */
export function superfluous(files: readonly BackupFile[]): string[] {
  const newestFirst = files.toSorted((a, b) => b.at - a.at)
  const newestOf = (spanOf: (at: number) => string, most: number) => {
    const spans = Map.groupBy(newestFirst, ({ at }) => spanOf(at))
    return [...spans.values()].slice(0, most).flatMap(([newest]) => newest ?? [])
  }
  const kept = new Set([...newestOf(localDay, DAYS_KEPT), ...newestOf(weekOf, WEEKS_KEPT)])
  return newestFirst.filter((file) => !kept.has(file)).map(({ name }) => name)
}

/** Returns the Monday on which the week begins. */
function weekOf(at: number): string {
  const date = new Date(at)
  date.setDate(date.getDate() - ((date.getDay() + 6) % 7))
  return localDay(date.getTime())
}

/** @param newest name that is always kept, because the clock may have been set back */
export async function removeSuperfluous(folder: string, id: string, newest: string): Promise<void> {
  const names = superfluous(await listFolder(folder, id)).filter((name) => name !== newest)
  const ends = await Promise.allSettled(names.map((name) => rm(join(folder, name), { force: true })))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
