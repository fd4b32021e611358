import type { SenderView } from '../../server/contract/senders.ts'

export type LinkPhase = 'asking' | 'found' | 'linked' | 'failed'

/**
 * How far linking is. `asked`: a code was asked for and the answer has come; `shown`: one was to be
 * seen. "Connecting" before a code was shown leads to the first code, afterwards it means that the
 * phone has scanned it. A paused sender can be linked as well.
 */
export function linkPhase({ connection, linking }: SenderView, asked: boolean, shown: boolean): LinkPhase {
  if (connection === 'connected') return 'linked'
  if (linking !== null || connection === 'linking') return 'asking'
  if (connection === 'connecting' || connection === 'offline') return shown ? 'found' : 'asking'
  return asked || shown ? 'failed' : 'asking'
}
