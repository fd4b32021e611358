import type { SenderView } from '../../server/contract/senders.ts'

export type LinkPhase = 'asking' | 'found' | 'linked' | 'failed'

/**
 * How far linking is. `asked`: a code was asked for and the answer has come; `shown`: one was to be seen. "Connecting"
 * before a code was shown leads to the first code, afterwards it means that the phone has scanned it.
 */
export function linkPhase({ state, linking }: SenderView, asked: boolean, shown: boolean): LinkPhase {
  if (state === 'connected') return 'linked'
  if (linking !== null || state === 'linking') return 'asking'
  if (state === 'connecting' || state === 'offline') return shown ? 'found' : 'asking'
  return asked || shown ? 'failed' : 'asking'
}
