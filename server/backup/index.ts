import { join } from 'node:path'
import { ApiError } from '../contract/errors.ts'
import type { DataKey } from '../data-folder/data-key.ts'
import { temporaryFolder } from '../data-folder/folder.ts'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import { COMMAND } from '../lib/command.ts'
import type { Logger } from '../lib/logger.ts'
import type { Store } from '../store/index.ts'
import { createBackup } from './backup.ts'
import { createBackupPlan } from './plan.ts'
import { createRestore } from './restore.ts'
import { backupPlanRoutes, backupRoutes } from './routes.ts'

export interface BackupContext {
  home: string
  store: Store
  dataKey: DataKey
  /** True if several nodes share the database. */
  isShared: boolean
  restart: (() => void) | undefined
  version: string
  updateReady: () => string | null
  uptime: () => number
  bus: Bus
  clock: Clock
  logger: Logger
}

/** Backup and restore of the data folder, and a new key for what is sealed in it. */
export function backup(context: BackupContext) {
  const { home, store, dataKey, isShared, restart, version, clock } = context
  const create = createBackup({
    store,
    temporaryFolder: temporaryFolder(home),
    filesFolder: isShared ? null : join(home, 'files'),
    dataKey: dataKey.bytes,
    version,
    clock,
  })
  const noteBackup = () => store.meta.save('backup_at', String(clock.now()))
  const plan = isShared
    ? undefined
    : createBackupPlan({
        ...context,
        createBackup: create,
        noteBackup,
        temporaryFolder: temporaryFolder(home),
        vault: dataKey.vault,
        meta: store.meta,
      })
  return {
    routes: [
      ...backupRoutes({
        createBackup: create,
        noteBackup,
        stageRestore: isShared ? refuseRestore : createRestore({ home, sealForThisPc: dataKey.sealForThisPc }),
        rotateDataKey: store.sealed === null ? refuseRotation : dataKey.rotate,
        restart,
        clock,
      }),
      ...backupPlanRoutes(plan ?? { view: refusePlan, update: refusePlan, run: refusePlan, sheet: refusePlan }),
    ],
    concernFacts: async () => {
      const facts = plan?.facts()
      return facts === undefined ? {} : { backupPlan: facts }
    },
    stop: async () => plan?.stop(),
  }
}

/** @throws ApiError `conflict` */
function refusePlan(): Promise<never> {
  throw new ApiError(
    'conflict',
    `Several nodes share this database. Have its server back it up, or make backups with "${COMMAND} backup FILE".`,
  )
}

/** A backup holds files for a data folder. @throws ApiError `conflict` */
function refuseRestore(): Promise<never> {
  throw new ApiError(
    'conflict',
    `Several nodes share this database. Restore the backup into a folder, and copy that with "${COMMAND} migrate-to".`,
  )
}

/** The key of what is sealed is changed while nothing else runs. @throws ApiError `conflict` */
function refuseRotation(): Promise<never> {
  throw new ApiError(
    'conflict',
    `Several nodes share this database, and its data key stays. To change it, copy the database into a folder with "${COMMAND} migrate-to", change it there, and copy that back.`,
  )
}
