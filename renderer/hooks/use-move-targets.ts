import type { SenderView } from '../../server/contract/senders.ts'
import { useSenders } from '../api/senders.ts'

/** Connected numbers that could send the messages of a linked sender that is not connected. */
export function useMoveTargets({ sender_code, kind, state, waiting }: SenderView): SenderView[] {
  const all = useSenders().data ?? []
  if (kind !== 'linked' || state === 'connected' || waiting === 0) return []
  return all.filter((one) => one.kind === 'linked' && one.sender_code !== sender_code && one.state === 'connected')
}
