import { IconBan, IconCircleCheck, IconClockOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '../../../server/contract/access.ts'
import { useSenders } from '../../api/senders.ts'
import { StatusBadge, type StatusLook } from '../../components/status-badge.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { useNow } from '../../hooks/use-now.ts'
import { type KeyState, keyState } from '../../model/key-state.ts'

const LOOKS: Record<KeyState, StatusLook> = {
  valid: { icon: IconCircleCheck, tone: 'good' },
  expired: { icon: IconClockOff, tone: 'warn' },
  revoked: { icon: IconBan, tone: 'wait' },
  senderDeleted: { icon: IconBan, tone: 'warn' },
}

/** Says whether a key works, and until when. */
export function KeyValidity({ apiKey }: { apiKey: KeyView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const state = keyState(apiKey, useNow(10_000), useSenders().data)
  const { expires_at } = apiKey
  const validity = expires_at === null ? t('keys.forever') : t('keys.until', { when: format.date(expires_at) })
  return <StatusBadge look={LOOKS[state]} label={state === 'valid' ? validity : t(`keys.ended.${state}`)} />
}
