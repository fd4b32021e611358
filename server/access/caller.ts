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

/** True if a caller may see a sender's data: a device key reaches only its own. */
export const reaches = (caller: KnownCaller, senderId: number): boolean =>
  caller.kind === 'owner' || caller.key.kind === 'global' || caller.key.senderId === senderId
