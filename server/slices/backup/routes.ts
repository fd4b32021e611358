import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../../contract/errors.ts'
import { restartAnswer } from '../../contract/settings.ts'
import { readWhole, streamBody } from '../../http/body.ts'
import { restartAfterAnswer } from '../../http/response.ts'
import { ANSWERED, defineRoute, ok, type Route } from '../../http/route.ts'
import { localDay } from '../../lib/local-time.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import { createBackup, noteBackup } from './backup.ts'
import type { BackupContext } from './context.ts'
import {
  backupPlanAnswer,
  backupRequest,
  emergencySheetAnswer,
  restoredAnswer,
  restoreHeaders,
  updateBackupPlanRequest,
} from './contract.ts'
import type { BackupPlan } from './plan.ts'
import type { StageRestore } from './restore.ts'

const FILE = 'application/octet-stream'
const owner = { auth: 'owner', tag: 'Settings' } as const

export const backupRoutes = (
  context: BackupContext,
  stageRestore: StageRestore,
  rotateDataKey: () => Promise<void>,
): Route[] => [
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/backup',
    summary: 'Make a backup',
    description: 'One encrypted file with everything. `Content-Length` is known, so a file that is cut off is noticed.',
    body: backupRequest,
    answer: FILE,
    handler: async ({ body, res }) => {
      const backup = await createBackup(context, body.passphrase)
      try {
        res.writeHead(200, {
          'content-type': FILE,
          'content-length': backup.bytes,
          'content-disposition': `attachment; filename="kurir-${localDay(context.clock.now())}.kurirbackup"`,
          'cache-control': 'no-store',
        })
        await pipeline(Readable.from(backup.content), res)
        // The file is whole, whatever happens to the note: at worst the owner is reminded once
        // more.
        await noteBackup(context).catch(() => undefined)
      } catch (error) {
        // A client that went away in the middle has half a file and knows it by its length.
        if (!res.destroyed) throw error
      } finally {
        await backup.close()
      }
      return ANSWERED
    },
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/restore',
    summary: 'Replace everything by a backup',
    description:
      'The whole file is checked first; if it is refused, nothing changes. Senders with waiting messages come back paused.',
    upload: { type: FILE, headers: restoreHeaders },
    answer: restoredAnswer,
    handler: async ({ req, res }) => {
      const about = await readWhole(req, async () => {
        if (req.headers['content-type'] !== FILE) {
          throw new ApiError('unsupported_media_type', `Send the file with the header "Content-Type: ${FILE}".`)
        }
        return stageRestore(streamBody(req), passphraseOf(req))
      })
      const restarts = restartAfterAnswer(res, context.restart)
      const { created_at, kurir_version } = about
      const from = restarts ? 'Kurir restarts with it now.' : 'It counts from the next start of Kurir.'
      return ok(`The backup is whole. ${from}`, { created_at, kurir_version, restarts })
    },
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/data-key/rotate',
    summary: 'Seal all saved secrets with a new key',
    description: 'For when a backup is in other hands. Kurir restarts for it.',
    answer: restartAnswer,
    handler: async ({ res }) => {
      await rotateDataKey()
      const restarts = restartAfterAnswer(res, context.restart)
      const when = restarts ? 'Kurir restarts for it now.' : 'It is done at the next start of Kurir.'
      return ok(`A new key is made. ${when}`, { restarts })
    },
  }),
]

/** Header values are ASCII, passphrases are not. */
function passphraseOf(req: IncomingMessage): string {
  const header = req.headers['x-passphrase']
  try {
    if (typeof header === 'string' && header !== '') return decodeURIComponent(header)
  } catch {
    throw invalidRequest([fieldProblem('X-Passphrase', 'not_percent_encoded')])
  }
  throw invalidRequest([fieldProblem('X-Passphrase', 'required')])
}

/** Backups that Kurir makes by itself. */
export const backupPlanRoutes = (plan: Omit<BackupPlan, 'stop'>): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/backup/plan',
    summary: 'Read the plan of automatic backups',
    description: 'The folder with its files, the newest backup, the next one, and an attempt that failed.',
    answer: backupPlanAnswer,
    handler: async () => ok('Automatic backups.', await plan.view()),
  }),
  defineRoute({
    ...owner,
    method: 'PATCH',
    path: '/api/backup/plan',
    summary: 'Choose the folder for automatic backups, or switch them off',
    description:
      'A folder that does not exist is made if the one above it exists. The first backup begins at once; then one is made each day, and one before each update. Of each of the last seven days and four weeks the newest one is kept.',
    body: updateBackupPlanRequest,
    answer: backupPlanAnswer,
    handler: async ({ body }) => ok('Automatic backups are saved.', await plan.update(body)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/backup/plan/run',
    summary: 'Make an automatic backup now',
    description: 'Answered when the file was opened again and is whole.',
    answer: backupPlanAnswer,
    handler: async () => ok('The backup is made.', await plan.run()),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/backup/sheet',
    summary: 'Read the emergency sheet',
    description: 'The folder of the automatic backups and their key, to be kept on paper.',
    answer: emergencySheetAnswer,
    handler: async () => ok('Keep this on paper.', await plan.sheet()),
  }),
]
