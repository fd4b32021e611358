import type { KeyView } from '../../server/contract/access.ts'
import type { SenderView } from '../../server/contract/senders.ts'

export type KeyState = 'valid' | 'expired' | 'revoked' | 'senderDeleted'

type Senders = readonly Pick<SenderView, 'sender_code'>[]

/** @param senders all senders; undefined: not read yet */
export function keyState(
  { revoked_at, expires_at, sender_code }: KeyView,
  now: number,
  senders: Senders | undefined,
): KeyState {
  if (revoked_at !== null) return 'revoked'
  if (expires_at !== null && Date.parse(expires_at) <= now) return 'expired'
  const isBound = sender_code !== null && senders !== undefined
  return isBound && senders.every((sender) => sender.sender_code !== sender_code) ? 'senderDeleted' : 'valid'
}

/** Sorts valid keys before the others, and newer before older. */
export const workingFirst = (keys: KeyView[], now: number, senders: Senders | undefined): KeyView[] =>
  keys.toSorted(
    (a, b) =>
      Number(keyState(a, now, senders) !== 'valid') - Number(keyState(b, now, senders) !== 'valid') ||
      b.created_at.localeCompare(a.created_at),
  )
