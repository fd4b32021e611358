import type { SenderView } from '../../server/contract/senders.ts'
import type { Issue } from './issues.ts'

/** Senders with an issue first, in the order of the issues; the sandbox, which is only play, last. */
export function troubledFirst(senders: readonly SenderView[], issues: readonly Issue[]): SenderView[] {
  const rank = ({ sender_code, kind }: SenderView) => {
    const at = issues.findIndex((issue) => 'sender' in issue && issue.sender.sender_code === sender_code)
    if (at !== -1) return at
    return issues.length + Number(kind === 'sandbox')
  }
  return senders.toSorted((a, b) => rank(a) - rank(b))
}
