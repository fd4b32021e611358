import { useTranslation } from 'react-i18next'
import type { MessageRow } from '../../server/contract/messages.ts'
import type { SenderView } from '../../server/contract/senders.ts'
import { useFormat } from './use-format.ts'
import { useNow } from './use-now.ts'

/** Milliseconds. Nearer times are shown as a distance, such as "in 40 s". */
const SOON = 120_000

/** Says why a sender's next message waits, and until when. Null: nothing holds it. */
export function useHeldText({ held_by, next_send_at, waiting }: SenderView): string | null {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useNow(1_000)
  if (held_by === null || waiting === 0) return null
  if (held_by === 'paused' || held_by === 'not_connected' || held_by === 'other_phone')
    return t(`states.heldBy.${held_by}`)
  if (next_send_at === null) return null
  const at = Math.max(Date.parse(next_send_at), now)
  const when = at - now < SOON ? format.distance(new Date(at).toISOString(), now) : format.until(next_send_at, now)
  return t(`states.heldBy.${held_by}`, { when })
}

/** Milliseconds. The end of a queue is shown only if it is farther ahead. */
const LONG = 30 * 60_000

/** Says when the last waiting message leaves. Null: soon, or unknown. */
export function useQueueEnd({ queue_ends_at }: Pick<SenderView, 'queue_ends_at'>): string | null {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useNow(60_000)
  if (queue_ends_at === null || Date.parse(queue_ends_at) - now <= LONG) return null
  return t('states.queueEnds', { when: format.until(queue_ends_at, now) })
}

/**
 * Says why a message waits, and until when. Null: the message does not wait. Unlike a sender, a
 * message may also wait for its own time.
 */
export function useMessageHeldText(): (message: Pick<MessageRow, 'held_by' | 'until'>) => string | null {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useNow(5_000)
  return ({ held_by, until }) => {
    if (held_by === null) return null
    if (until === null) return t(`states.messageHeld.${held_by}`)
    const at = Math.max(Date.parse(until), now)
    const when = at - now < SOON ? format.distance(new Date(at).toISOString(), now) : format.until(until, now)
    return t('states.heldUntil', { why: t(`states.messageHeld.${held_by}`), when })
  }
}
