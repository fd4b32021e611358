import { useTranslation } from 'react-i18next'
import classes from './navigation.module.css'

/** The number of things that need attention. Shows nothing for 0. */
export function Badge({ count }: { count: number }) {
  const { t } = useTranslation()
  return count === 0 ? null : (
    <span className={classes.badge} title={t('nav.attention', { count })}>
      {count}
    </span>
  )
}
