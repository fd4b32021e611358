import { ApiError } from '../../contract/errors.ts'
import { handmadeConcerns, planConcerns, readPlanFacts } from './concerns.ts'
import type { BackupContext } from './context.ts'
import { createBackupPlan } from './plan.ts'
import { createRestore } from './restore.ts'
import { backupPlanRoutes, backupRoutes } from './routes.ts'

/** Backup and restore of the data folder, and a new key for what is sealed in it. */
export function backup(context: BackupContext) {
  const { store, dataKey, refusals, clock } = context
  const plan = refusals === null ? createBackupPlan(context) : undefined
  const stageRestore = refusals === null ? createRestore(context) : refusing(refusals.restore)
  const rotateDataKey = refusals === null ? dataKey.rotate : refusing(refusals.newDataKey)
  const refusePlan = refusing(refusals?.backupPlan ?? '')
  return {
    routes: [
      ...backupRoutes(context, stageRestore, rotateDataKey),
      ...backupPlanRoutes(plan ?? { view: refusePlan, update: refusePlan, run: refusePlan, sheet: refusePlan }),
    ],
    concerns: async () => {
      const facts = refusals === null ? readPlanFacts(context) : undefined
      return facts === undefined ? handmadeConcerns(store, clock.now()) : planConcerns(facts, clock.now())
    },
    stop: async () => plan?.stop(),
  }
}

/** @throws ApiError `conflict` */
const refusing = (why: string) => (): Promise<never> => {
  throw new ApiError('conflict', why)
}
