import { ApiError } from '../contract/errors.ts'
import type { DataKey } from '../data-folder/data-key.ts'
import { temporaryFolder } from '../data-folder/folder.ts'
import type { Route } from '../http/route.ts'
import type { Clock } from '../lib/clock.ts'
import { COMMAND } from '../lib/command.ts'
import type { Store } from '../store/index.ts'
import { createBackup } from './backup.ts'
import { createRestore } from './restore.ts'
import { backupRoutes } from './routes.ts'

export interface BackupContext {
  home: string
  store: Store
  dataKey: DataKey
  /** True if several nodes share the database. */
  isShared: boolean
  restart: (() => void) | undefined
  version: string
  clock: Clock
}

/** Backup and restore of the data folder, and a new key for what is sealed in it. */
export const backup = ({ home, store, dataKey, isShared, restart, version, clock }: BackupContext): Route[] =>
  backupRoutes({
    createBackup: createBackup({
      store,
      temporaryFolder: temporaryFolder(home),
      dataKey: dataKey.bytes,
      version,
      clock,
    }),
    noteBackup: () => store.meta.save('backup_at', String(clock.now())),
    stageRestore: isShared ? refuseRestore : createRestore({ home, sealForThisPc: dataKey.sealForThisPc }),
    rotateDataKey: store.sealed === null ? refuseRotation : dataKey.rotate,
    restart,
    clock,
  })

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
