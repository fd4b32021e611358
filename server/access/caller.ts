import { ApiError } from '../contract/errors.ts'
import type { KeyRow } from '../store/index.ts'

/**
 * The caller of a request: a program with its API key, the owner at the window, or (on public
 * routes) anybody.
 */
export type Caller = KnownCaller | { kind: 'anonymous' }

export type KnownCaller =
  | { kind: 'key'; key: KeyRow }
  | {
      kind: 'owner'
      /** Id of a browser's login; null for the holder of the owner's token. */
      session: string | null
    }

/** The API key of a program; null for the owner. */
export const keyOf = (caller: KnownCaller): KeyRow | null => (caller.kind === 'key' ? caller.key : null)

/** @throws ApiError where a key that may only read calls what is not `forReaders` */
export function admitReader(caller: Caller, { forReaders }: { forReaders?: true }): void {
  if (caller.kind !== 'key' || caller.key.scopes === 'all' || forReaders === true) return
  throw new ApiError('key_reads_only', 'This key may only read messages, senders and metrics. Use a key that may send.')
}

/** True if a caller may see a sender's data: a device key reaches only its own. */
export const reaches = (caller: KnownCaller, senderId: number): boolean =>
  caller.kind === 'owner' || caller.key.kind === 'global' || caller.key.senderId === senderId
