import { useQuery } from '@tanstack/react-query'
import { customerAnswer } from '../../server/contract/summary.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

/** Messages to one number by all senders. @param phone as people write it */
export const useCustomer = (phone: string) =>
  useQuery({
    queryKey: queryKeys.customer(phone),
    queryFn: async ({ signal }) =>
      (await call(customerAnswer, `/api/customers/${encodeURIComponent(phone)}`, { signal })).data,
  })
