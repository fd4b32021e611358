import { useTranslation } from 'react-i18next'
import { useNow } from '../hooks/use-now.ts'
import { exactTime, relativeTime } from '../model/time.ts'

interface TimeAgoProps {
  /** ISO time; null is "never". */
  at: string | null
}

/** A moment as people say it, exact on hover. */
export function TimeAgo({ at }: TimeAgoProps) {
  const { t, i18n } = useTranslation()
  const now = useNow(10_000)
  if (at === null) return <>{t('time.never')}</>
  const moment = Date.parse(at)
  return (
    <time dateTime={at} title={exactTime(at, i18n.language)}>
      {Math.abs(now - moment) < 10_000 ? t('time.now') : relativeTime(moment, now, i18n.language)}
    </time>
  )
}
