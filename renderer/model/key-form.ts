import type { z } from 'zod'
import type { createKeyRequest } from '../../server/contract/keys.ts'

export const EXPIRIES = ['never', 'days30', 'days90', 'days365', 'date'] as const
export type Expiry = (typeof EXPIRIES)[number]

/** The form of a new key as inputs hold it. */
export interface KeyFormValues {
  kind: 'global' | 'device'
  name: string
  senderCode: string | null
  expiry: Expiry
  /** Local day, `2027-01-31`; the key works until its end. */
  lastDay: string
  refuseDuplicates: boolean
  rateLimit: number | string
}

export const NEW_KEY: KeyFormValues = {
  kind: 'global',
  name: '',
  senderCode: null,
  expiry: 'never',
  lastDay: '',
  refuseDuplicates: false,
  rateLimit: '',
}

const DAYS = { days30: 30, days90: 90, days365: 365 }

function expiresAt({ expiry, lastDay }: KeyFormValues, now: number): string | null {
  if (expiry === 'never') return null
  if (expiry === 'date') return new Date(`${lastDay}T23:59:59`).toISOString()
  return new Date(now + DAYS[expiry] * 86_400_000).toISOString()
}

export const keyOfForm = (values: KeyFormValues, now: number): z.input<typeof createKeyRequest> => ({
  kind: values.kind,
  name: values.name,
  ...(values.kind === 'device' && values.senderCode !== null ? { sender_code: values.senderCode } : {}),
  expires_at: expiresAt(values, now),
  refuse_duplicate_reference: values.refuseDuplicates,
  rate_limit_per_minute: values.rateLimit === '' ? null : Number(values.rateLimit),
})
