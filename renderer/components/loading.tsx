import { Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './loading.module.css'

/** Milliseconds before the loader is shown, so that quick loads do not flicker. */
const QUICK = 300

export function Loading() {
  const { t } = useTranslation()
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), QUICK)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={classes.loading} aria-busy="true">
      {slow ? <Loader size="sm" role="status" aria-label={t('list.loading')} /> : null}
    </div>
  )
}
