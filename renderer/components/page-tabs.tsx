import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { Badge } from './navigation/badge.tsx'
import classes from './page-tabs.module.css'

interface PageTabsProps {
  label: string
  tabs: { path: '/keys' | '/refused-calls'; name: 'keys' | 'refusedCalls'; count?: number }[]
}

/** Pages that share a place in the menu. Each keeps its address. */
export function PageTabs({ label, tabs }: PageTabsProps) {
  const { t } = useTranslation()
  const [address] = useLocation()
  return (
    <nav className={classes.tabs} aria-label={label}>
      {tabs.map(({ path, name, count = 0 }) => (
        <Link
          key={path}
          href={path}
          className={classes.tab ?? ''}
          {...(address === path ? { 'aria-current': 'page' as const } : {})}
        >
          {t(`nav.pages.${name}`)}
          <Badge count={count} />
        </Link>
      ))}
    </nav>
  )
}
