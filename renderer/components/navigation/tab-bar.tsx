import { Menu, UnstyledButton } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useRoute } from 'wouter'
import { Badge } from './badge.tsx'
import classes from './navigation.module.css'
import { groupsOf, type Place, useBadges, usePlaces } from './places.ts'

/** The menu at the foot of a narrow window: what an owner needs on a phone, the rest behind "More". */
export function TabBar() {
  const { t } = useTranslation()
  const badges = useBadges()
  const places = usePlaces()
  return (
    <nav className={classes.bar} aria-label={t('nav.label')}>
      {places
        .filter(({ tab }) => tab)
        .map((place) => (
          <Tab key={place.path} place={place} count={badges[place.path] ?? 0} />
        ))}
      <More places={places.filter(({ tab }) => !tab)} badges={badges} />
    </nav>
  )
}

interface TabProps {
  place: Place
  count: number
}

function Tab({ place: { path, name, icon: Icon }, count }: TabProps) {
  const { t } = useTranslation()
  const [here] = useRoute(path === '/' ? '/' : `${path}/*?`)
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

interface MoreProps {
  places: Place[]
  badges: ReturnType<typeof useBadges>
}

function More({ places, badges }: MoreProps) {
  const { t } = useTranslation()
  const [path] = useLocation()
  const here = places.some((place) => path.startsWith(place.path))
  const count = places.reduce((sum, place) => sum + (badges[place.path] ?? 0), 0)
  return (
    <Menu position="top-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.tab ?? ''} {...(here ? { 'aria-current': 'page' } : {})}>
          <span className={classes.icon}>
            <IconDots size={22} stroke={1.75} aria-hidden="true" />
            <Badge count={count} />
          </span>
          {t('nav.more')}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {groupsOf(places).map(([group, its]) => (
          <Fragment key={group}>
            <Menu.Label>{t(`nav.groups.${group}`)}</Menu.Label>
            {its.map((place) => (
              <Menu.Item
                key={place.path}
                component={Link}
                href={place.path}
                leftSection={<place.icon size={20} stroke={1.75} aria-hidden="true" />}
                rightSection={<Badge count={badges[place.path] ?? 0} />}
              >
                {t(`nav.pages.${place.name}`)}
              </Menu.Item>
            ))}
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
