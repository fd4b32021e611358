import { useTranslation } from 'react-i18next'
import { useFormat } from '../hooks/use-format.ts'
import { useNow } from '../hooks/use-now.ts'

interface TimeAgoProps {
  /** ISO time. Null is shown as "never". */
  at: string | null
}

/** Milliseconds. Times nearer than this are shown as "now", because seconds would flicker. */
const JUST_NOW = 60_000

/** A time in words, such as "5 min ago". Hovering shows the exact time. */
export function TimeAgo({ at }: TimeAgoProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useNow(10_000)
  if (at === null) return <>{t('time.never')}</>
  return (
    <time dateTime={at} title={format.exact(at)}>
      {Math.abs(now - Date.parse(at)) < JUST_NOW ? t('time.now') : format.moment(at, now)}
    </time>
  )
}
