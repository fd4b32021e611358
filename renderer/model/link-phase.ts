import type { SenderView } from '../../server/contract/senders.ts'

export type LinkPhase = 'asking' | 'found' | 'linked' | 'failed'

/**
 * Returns how far linking is. The connection is "connecting" before the first code, and again after
 * the phone has scanned a code, so the phase depends on `shown`. A paused sender can be linked too.
 * @param asked true if the server has answered the request for a code
 * @param shown true if a code was shown
 */
export function linkPhase({ connection, linking }: SenderView, asked: boolean, shown: boolean): LinkPhase {
  if (connection === 'connected') return 'linked'
  if (linking !== null || connection === 'linking') return 'asking'
  if (connection === 'connecting' || connection === 'offline') return shown ? 'found' : 'asking'
  return asked || shown ? 'failed' : 'asking'
}
