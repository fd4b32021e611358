import { Kbd, UnstyledButton } from '@mantine/core'
import { IconChevronRight, IconSearch } from '@tabler/icons-react'
import { Fragment, lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { fetched } from '../../api/fetched.ts'
import { AfterFirstPaint } from '../after-first-paint.tsx'
import { Mark } from '../mark.tsx'
import { Badge } from './badge.tsx'
import classes from './navigation.module.css'
import { groupsOf, type Place, useBadges, useHasPrograms, useIsHere, usePlaces } from './places.ts'

const Preferences = lazy(() => fetched(() => import('./preferences.tsx')))

/** The menu at the left of a wide window. */
export function Rail({ onFind }: { onFind: () => void }) {
  const { t } = useTranslation()
  const badges = useBadges()
  const hasPrograms = useHasPrograms()
  const linksOf = (places: readonly Place[], heading?: string) => (
    <ul className={classes.links} {...(heading === undefined ? {} : { 'aria-labelledby': heading })}>
      {places.map((place) => (
        <li key={place.path}>
          <RailLink place={place} count={badges[place.path] ?? 0} />
        </li>
      ))}
    </ul>
  )
  return (
    <nav className={classes.rail} aria-label={t('nav.label')}>
      <div className={classes.brand}>
        <Mark /> Kurir
      </div>
      <UnstyledButton className={classes.find ?? ''} onClick={onFind} aria-keyshortcuts="Control+K">
        <IconSearch size={18} stroke={1.75} aria-hidden="true" />
        {t('palette.find')}
        <Kbd size="xs">Ctrl K</Kbd>
      </UnstyledButton>
      <div className={classes.groups}>
        {groupsOf(usePlaces()).map(([group, places]) => {
          const id = `menu-${group}`
          if (group === 'daily') return <Fragment key={group}>{linksOf(places)}</Fragment>
          if (group === 'programs')
            return (
              <details key={group} open={hasPrograms}>
                <summary className={classes.group}>
                  <span id={id}>{t(`nav.groups.${group}`)}</span>
                  <IconChevronRight size={14} className={classes.chevron ?? ''} aria-hidden="true" />
                </summary>
                {linksOf(places, id)}
              </details>
            )
          return (
            <div key={group}>
              <div className={classes.group} id={id}>
                {t(`nav.groups.${group}`)}
              </div>
              {linksOf(places, id)}
            </div>
          )
        })}
      </div>
      <div className={classes.foot}>
        <AfterFirstPaint>
          <Preferences />
        </AfterFirstPaint>
      </div>
    </nav>
  )
}

interface RailLinkProps {
  place: Place
  count: number
}

function RailLink({ place: { path, name, icon: Icon }, count }: RailLinkProps) {
  const { t } = useTranslation()
  const here = useIsHere()(path)
  return (
    <Link href={path} className={classes.link ?? ''} {...(here ? { 'aria-current': 'page' } : {})}>
      <Icon size={20} stroke={1.75} aria-hidden="true" />
      {t(`nav.pages.${name}`)}
      <Badge count={count} />
    </Link>
  )
}
