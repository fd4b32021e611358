import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../server/contract/senders.ts'
import { relativeTime, soonTime } from '../model/time.ts'
import { useNow } from './use-now.ts'

/** Why the next message of a sender waits and until when; null when nothing holds it. */
export function useHeldWords({ held_by, next_send_at, waiting }: SenderView): string | null {
  const { t, i18n } = useTranslation()
  const now = useNow(1_000)
  if (held_by === null || waiting === 0) return null
  if (held_by === 'paused' || held_by === 'not_connected' || next_send_at === null) {
    return held_by === 'paused' || held_by === 'not_connected' ? t(`states.heldBy.${held_by}`) : null
  }
  const soon = Date.parse(next_send_at) - now < 120_000
  const when = soon
    ? relativeTime(Math.max(Date.parse(next_send_at), now), now, i18n.language)
    : soonTime(next_send_at, now, i18n.language)
  return t(`states.heldBy.${held_by}`, { when })
}
