import { join } from 'node:path'
import { ApiError } from '../contract/errors.ts'
import type { DataKey } from '../data-folder/data-key.ts'
import { temporaryFolder } from '../data-folder/folder.ts'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
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
  /** Why only backups can be made; null: everything can be done. */
  refusals: { backupPlan: string; restore: string; newDataKey: string } | null
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
  const { home, store, dataKey, refusals, restart, version, clock } = context
  const create = createBackup({
    store,
    temporaryFolder: temporaryFolder(home),
    filesFolder: refusals !== null ? null : join(home, 'files'),
    dataKey: dataKey.bytes,
    version,
    clock,
  })
  const noteBackup = () => store.meta.save('backup_at', String(clock.now()))
  const plan =
    refusals === null
      ? createBackupPlan({
          ...context,
          createBackup: create,
          noteBackup,
          temporaryFolder: temporaryFolder(home),
          vault: dataKey.vault,
          meta: store.meta,
        })
      : undefined
  const refusePlan = refusing(refusals?.backupPlan ?? '')
  return {
    routes: [
      ...backupRoutes({
        createBackup: create,
        noteBackup,
        stageRestore:
          refusals === null
            ? createRestore({ home, sealForThisPc: dataKey.sealForThisPc })
            : refusing(refusals.restore),
        rotateDataKey: refusals === null ? dataKey.rotate : refusing(refusals.newDataKey),
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
const refusing = (why: string) => (): Promise<never> => {
  throw new ApiError('conflict', why)
}
