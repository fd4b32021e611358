import { createWriteStream, existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { COMMAND } from '../lib/program.ts'
import { renameFile, syncFolder } from '../lib/sync-folder.ts'
import { type BackupPlanView, backupRequest, type EmergencySheet } from '../slices/backup/contract.ts'
import { type Client, openFile, refusal } from './client.ts'
import { CliError, EXIT, type Output, systemReason, table } from './terminal.ts'

/**
 * Checks that a backup replaces no file, because an older backup may be the only complete one.
 * @throws CliError if the file exists
 */
export function checkIsNew(file: string): void {
  if (!existsSync(file)) return
  throw new CliError(`${file} is there already. Choose another name, or add --force to replace it.`)
}

/** Writes a backup. An older file of the same name is replaced only when the backup is complete. */
export async function makeBackup(client: Client, out: Output, file: string, passphrase: string): Promise<void> {
  if (!backupRequest.safeParse({ passphrase }).success)
    throw new CliError('The passphrase must have at least 8 characters, and at most 1024.', EXIT.usage)
  out.note('Copying the data…')
  const answer = await client.request('/api/backup', { json: { passphrase } })
  if (!answer.ok || answer.body === null) throw await refusal(answer)
  const part = `${file}.part`
  const bytes = Number(answer.headers.get('content-length'))
  try {
    // Recreate the file, because others may write to the folder and may have put a link there.
    await rm(part, { force: true })
    const target = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(arriving(answer.body as ReadableStream<Uint8Array>), target)
    if ((await stat(part)).size !== bytes) throw notWhole()
    await renameFile(part, file)
    await syncFolder(dirname(file))
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined)
    const why = systemReason(error)
    if (why === undefined) throw error
    throw new CliError(`${file} cannot be written: ${why}.`, EXIT.refused, { cause: error })
  }
  await out.print({ file, bytes }, () => `Backup written to ${file} (${(bytes / 1e6).toFixed(1)} MB).`)
}

const notWhole = (cause?: unknown) =>
  new CliError('The backup did not arrive whole. Try again.', EXIT.refused, { cause })

/** Marks errors of the connection, to tell them from errors of the file. */
async function* arriving(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    throw notWhole(cause)
  }
}

export async function restoreBackup(client: Client, out: Output, file: string, passphrase: string): Promise<void> {
  const content = await openFile(file)
  out.note('Checking the backup…')
  const about = await client.call<{ created_at: string; restarts: boolean }>('/api/restore', {
    // Encoded, because header values must be ASCII.
    body: {
      content,
      type: 'application/octet-stream',
      headers: { 'x-passphrase': encodeURIComponent(passphrase) },
    },
  })
  const from = about.restarts ? 'Kurir restarts with it.' : 'It counts from the next start of Kurir.'
  await out.print(about, () => `The backup of ${about.created_at} is whole. ${from}`)
}

const SHEET_AGAIN = `Automatic backups get a new key too. Print it: ${COMMAND} backup schedule --sheet`

/** Has Kurir make a new data key, for an owner whose backup and passphrase are in other hands. */
export async function rotateKey(client: Client, out: Output): Promise<void> {
  const done = await client.call<{ restarts: boolean }>('/api/data-key/rotate', { method: 'POST' })
  const when = done.restarts ? 'Kurir restarts for it.' : 'It is done at the next start of Kurir.'
  await out.print(done, () => `A new key is made for what is saved here. ${when} ${SHEET_AGAIN}`)
}

export interface ScheduleWish {
  folder: string | undefined
  off: boolean
  now: boolean
}

/** Chooses the folder of automatic backups or ends them, makes one now, and shows their state. */
export async function scheduleBackups(client: Client, out: Output, { folder, off, now }: ScheduleWish): Promise<void> {
  const path = '/api/backup/plan'
  if (off && (folder !== undefined || now))
    throw new CliError('--off goes with no folder and not with --now.', EXIT.usage)
  if (off || folder !== undefined) {
    const json = { folder: folder === undefined ? null : resolve(folder) }
    await client.call<BackupPlanView>(path, { method: 'PATCH', json })
  }
  if (now) out.note('Copying the data…')
  const plan = now
    ? await client.call<BackupPlanView>(`${path}/run`, { method: 'POST' })
    : await client.call<BackupPlanView>(path)
  await out.print(plan, () => describePlan(plan))
}

const FAULTS: Record<NonNullable<BackupPlanView['failed']>['reason'], string> = {
  away: 'the folder is not there',
  full: 'there is no room',
  not_writable: 'Kurir may not write there',
  failed: `see "${COMMAND} logs"`,
}

function describePlan({ folder, last, failed, running, files }: BackupPlanView): string {
  if (folder === null) return `No automatic backups. Choose a folder: ${COMMAND} backup schedule FOLDER`
  return [
    `A backup a day goes to ${folder}.`,
    last === null ? 'There is none yet.' : `The last one is of ${last.at} and whole: ${last.file}`,
    ...(failed === null ? [] : [`The attempt of ${failed.at} failed: ${FAULTS[failed.reason]}.`]),
    ...(running ? ['One is being made now.'] : []),
    ...(files.length === 0
      ? []
      : [
          '',
          table(
            ['FILE', 'MB'],
            files.map(({ name, bytes }) => [name, (bytes / 1e6).toFixed(1)]),
          ),
        ]),
  ].join('\n')
}

/** Prints the emergency sheet, which the owner keeps on paper. */
export async function showSheet(client: Client, out: Output): Promise<void> {
  const sheet = await client.call<EmergencySheet>('/api/backup/sheet')
  await out.print(sheet, () =>
    [
      `Key:     ${sheet.key}`,
      `Folder:  ${sheet.folder ?? '-'}`,
      `Newest:  ${sheet.file ?? '-'}`,
      '',
      'With a file of the folder and this key anybody can send from your numbers.',
      'On another PC: kurir restore FILE, and type the key.',
    ].join('\n'),
  )
}
