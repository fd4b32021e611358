import type { KeyView } from '../../server/contract/access.ts'

export type KeyState = 'valid' | 'expired' | 'revoked'

export function keyState({ revoked_at, expires_at }: KeyView, now: number): KeyState {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'valid'
}

/** Keys that work first, within them the newest first. */
export const workingFirst = (keys: KeyView[], now: number): KeyView[] =>
  keys.toSorted(
    (a, b) =>
      Number(keyState(a, now) !== 'valid') - Number(keyState(b, now) !== 'valid') ||
      b.created_at.localeCompare(a.created_at),
  )
