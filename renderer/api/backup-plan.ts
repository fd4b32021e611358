import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { backupPlanAnswer, emergencySheetAnswer, type UpdateBackupPlan } from '../../server/slices/backup/contract.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

const PATH = '/api/backup/plan'
/** No live event says that another window changed the plan or that a backup ended. */
const LOOK_EVERY_MS = 5_000
const LOOK_WHILE_RUNNING_MS = 2_000

export const useBackupPlan = () =>
  useQuery({
    queryKey: queryKeys.backupPlan,
    queryFn: async ({ signal }) => (await call(backupPlanAnswer, PATH, { signal })).data,
    refetchInterval: ({ state }) => (state.data?.running ? LOOK_WHILE_RUNNING_MS : LOOK_EVERY_MS),
  })

/** A change of the plan, or a backup that runs now. The plan is read again afterwards. */
function usePlanChange<T>(change: (given: T) => Promise<{ data: unknown }>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.backupPlan }),
  })
}

export const useUpdateBackupPlan = () =>
  usePlanChange((body: UpdateBackupPlan) => call(backupPlanAnswer, PATH, { method: 'PATCH', body }))

export const useRunBackup = () => usePlanChange(() => call(backupPlanAnswer, `${PATH}/run`, { method: 'POST' }))

/** Not cached, because the sheet holds a secret. */
export const useEmergencySheet = () =>
  useQuery({
    queryKey: queryKeys.emergencySheet,
    queryFn: async ({ signal }) => (await call(emergencySheetAnswer, '/api/backup/sheet', { signal })).data,
    gcTime: 0,
  })
