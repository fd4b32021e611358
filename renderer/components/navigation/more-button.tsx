import { UnstyledButton, type UnstyledButtonProps } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from './badge.tsx'
import classes from './navigation.module.css'
import { type Place, type useBadges, useIsHere } from './places.ts'

export interface MoreProps {
  places: readonly Place[]
  badges: ReturnType<typeof useBadges>
}

/**
 * The last button in the bar, for all pages without a tab. `button` holds the props that its menu
 * gives it.
 */
export function MoreButton({ places, badges, ...button }: MoreProps & UnstyledButtonProps & ComponentProps<'button'>) {
  const { t } = useTranslation()
  const isHere = useIsHere()
  const here = places.some(({ path }) => isHere(path))
  const count = places.reduce((sum, place) => sum + (badges[place.path] ?? 0), 0)
  return (
    <UnstyledButton {...button} className={classes.tab ?? ''} {...(here ? { 'aria-current': 'page' } : {})}>
      <span className={classes.icon}>
        <IconDots size={22} stroke={1.75} aria-hidden="true" />
        <Badge count={count} />
      </span>
      {t('nav.more')}
    </UnstyledButton>
  )
}
