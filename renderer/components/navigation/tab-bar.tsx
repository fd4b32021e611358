import { lazy, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { fetched } from '../../api/fetched.ts'
import { AfterFirstPaint } from '../after-first-paint.tsx'
import { Badge } from './badge.tsx'
import { MoreButton } from './more-button.tsx'
import classes from './navigation.module.css'
import { type Place, useBadges, useIsHere, usePlaces } from './places.ts'

const MoreMenu = lazy(() => fetched(() => import('./more-menu.tsx')))

/** The menu at the foot of a narrow window. Pages that a phone rarely needs are behind "More". */
export function TabBar() {
  const { t } = useTranslation()
  const badges = useBadges()
  const places = usePlaces()
  const rest = places.filter(({ tab }) => !tab)
  /** True if "More" is open, or was pressed before its script had loaded. */
  const [asked, setAsked] = useState(false)
  return (
    <nav className={classes.bar} aria-label={t('nav.label')}>
      {places
        .filter(({ tab }) => tab)
        .map((place) => (
          <Tab key={place.path} place={place} count={badges[place.path] ?? 0} />
        ))}
      <AfterFirstPaint fallback={<MoreButton places={rest} badges={badges} onClick={() => setAsked(true)} />}>
        <MoreMenu places={rest} badges={badges} opened={asked} onChange={setAsked} />
      </AfterFirstPaint>
    </nav>
  )
}

interface TabProps {
  place: Place
  count: number
}

function Tab({ place: { path, name, icon: Icon }, count }: TabProps) {
  const { t } = useTranslation()
  const here = useIsHere()(path)
  return (
    <Link href={path} className={classes.tab ?? ''} {...(here ? { 'aria-current': 'page' } : {})}>
      <span className={classes.icon}>
        <Icon size={22} stroke={1.75} aria-hidden="true" />
        <Badge count={count} />
      </span>
      {t(`nav.pages.${name}`)}
    </Link>
  )
}
