import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type AlarmKind,
  alarmsAnswer,
  testAlarmAnswer,
  type UpdateAlarms,
} from '../../server/slices/alarms/contract.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

/** Milliseconds. No live event says that another window or a sent alarm changed this data. */
const LOOK_EVERY = 5_000

export const useAlarms = () =>
  useQuery({
    queryKey: queryKeys.alarms,
    queryFn: async ({ signal }) => (await call(alarmsAnswer, '/api/alarms', { signal })).data,
    refetchInterval: LOOK_EVERY,
  })

export function useUpdateAlarms() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (body: UpdateAlarms) => (await call(alarmsAnswer, '/api/alarms', { method: 'PATCH', body })).data,
    onSuccess: (alarms) => client.setQueryData(queryKeys.alarms, alarms),
  })
}

/** Sends a test now. Resolves with the reason why it was not taken, null if it was. */
export const useTestAlarm = () =>
  useMutation({
    async mutationFn(kind: AlarmKind) {
      const { data } = await call(testAlarmAnswer, '/api/alarms/test', { method: 'POST', body: { kind } })
      return data.error === null ? null : { ...data, error: data.error }
    },
  })
