import type { Concern } from '../../server/contract/concerns.ts'
import type { SenderView } from '../../server/contract/senders.ts'

/** Sorts senders with concerns first, in the order of the concerns, and the sandbox last. */
export function troubledFirst(senders: readonly SenderView[], concerns: readonly Concern[]): SenderView[] {
  const rank = ({ sender_code, kind }: SenderView) => {
    const at = concerns.findIndex((concern) => concern.sender_code === sender_code)
    if (at !== -1) return at
    return concerns.length + Number(kind === 'sandbox')
  }
  return senders.toSorted((a, b) => rank(a) - rank(b))
}
