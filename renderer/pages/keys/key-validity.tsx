import { IconBan, IconCircleCheck, IconClockOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '../../../server/contract/keys.ts'
import classes from '../../components/status.module.css'
import { useNow } from '../../hooks/use-now.ts'
import { keyState } from '../../model/key-state.ts'
import { dayOf } from '../../model/time.ts'

const LOOK = {
  valid: { icon: IconCircleCheck, tone: 'good' },
  expired: { icon: IconClockOff, tone: 'warn' },
  revoked: { icon: IconBan, tone: 'wait' },
}

/** Whether a key works, as icon and words. */
export function KeyValidity({ apiKey }: { apiKey: KeyView }) {
  const { t, i18n } = useTranslation()
  const state = keyState(apiKey, useNow(10_000))
  const { icon: Icon, tone } = LOOK[state]
  const { expires_at } = apiKey
  const validity = expires_at === null ? t('keys.forever') : t('keys.until', { when: dayOf(expires_at, i18n.language) })
  return (
    <span className={classes.status} data-tone={tone}>
      <Icon size={18} stroke={1.75} aria-hidden="true" />
      {state === 'valid' ? validity : t(`keys.${state}`)}
    </span>
  )
}
