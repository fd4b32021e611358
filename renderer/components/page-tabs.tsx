import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { isAlarm } from '../../server/contract/concerns.ts'
import { useConcerns } from '../hooks/use-concerns.ts'
import { Badge } from './navigation/badge.tsx'
import { TAB_PAGES, type TabGroup } from './navigation/places.ts'
import classes from './page-tabs.module.css'

/** Tabs of the pages that share a place in the menu. Each page has its own address. */
export function PageTabs({ of }: { of: TabGroup }) {
  const { t } = useTranslation()
  const [address] = useLocation()
  const pages = useConcerns()
    .filter(isAlarm)
    .map(({ page }) => page?.split(/[?#]/)[0])
  const [first] = TAB_PAGES[of]
  return (
    <nav className={classes.tabs} aria-label={t('nav.tabs', { page: t(`nav.pages.${first.name}`) })}>
      {TAB_PAGES[of].map(({ path, name }) => (
        <Link
          key={path}
          href={path}
          className={classes.tab ?? ''}
          {...(address === path ? { 'aria-current': 'page' as const } : {})}
        >
          {t(`nav.pages.${name}`)}
          {path === first.path ? null : <Badge count={pages.filter((page) => page === path).length} />}
        </Link>
      ))}
    </nav>
  )
}
