import { IconPlugConnectedX } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useOverview } from '../api/overview.ts'
import type { Connection } from '../api/stream.ts'
import classes from './shell.module.css'

/** Shorter interruptions are not shown (milliseconds). */
const PATIENCE = 1_500

export function ConnectionBar({ connection }: { connection: Connection }) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(false)
  // Kurir answers, but its database does not.
  const isUnread = useOverview().data?.figures === null

  useEffect(() => {
    if (connection !== 'lost') {
      setShown(false)
      return
    }
    const timer = setTimeout(() => setShown(true), PATIENCE)
    return () => clearTimeout(timer)
  }, [connection])

  return (
    <div role="status" aria-live="polite">
      {shown ? (
        <div className={classes.connection}>
          <IconPlugConnectedX size={18} aria-hidden="true" />
          {isUnread ? t('connection.unread') : t('connection.lost')}
        </div>
      ) : null}
    </div>
  )
}
