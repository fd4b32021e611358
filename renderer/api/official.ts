import { useMutation, useQuery } from '@tanstack/react-query'
import { type SecondRoad, secondRoadTryAnswer } from '../../server/contract/second-road.ts'
import { senderAnswer } from '../../server/contract/senders.ts'
import { pricesAnswer, pricingAnswer } from '../../server/slices/pricing/contract.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

const path = (code: string) => `/api/senders/${encodeURIComponent(code)}`

/** Registers a number with the Cloud API. The PIN has six digits. */
export const useRegister = (code: string) =>
  useChange('sender', (pin: string) => call(senderAnswer, `${path(code)}/register`, { method: 'POST', body: { pin } }))

/** Registers the public address of this PC at Meta, for callbacks. */
export const useCallbackSetup = (code: string) =>
  useChange('sender', () => call(senderAnswer, `${path(code)}/callback-setup`, { method: 'POST' }))

/** Tests a second road on the last texts. Sends nothing. */
export const useTryRoad = (code: string) =>
  useMutation({
    mutationFn: async (road: SecondRoad) =>
      (await call(secondRoadTryAnswer, `${path(code)}/second-road/try`, { method: 'POST', body: { road } })).data,
  })

/** Meta's bill of a month. @param month such as `2026-11` */
export const usePricing = (month: string) =>
  useQuery({
    queryKey: queryKeys.pricingOf(month),
    queryFn: async ({ signal }) => (await call(pricingAnswer, `/api/pricing?month=${month}`, { signal })).data,
  })

/** Stores the price of one message of each category. */
export const useSetPrices = () =>
  useChange('prices', (prices: Record<string, number>) =>
    call(pricesAnswer, '/api/pricing', { method: 'PATCH', body: { prices } }),
  )
