import { Menu } from '@mantine/core'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { Badge } from './badge.tsx'
import { MoreButton, type MoreProps } from './more-button.tsx'
import { groupsOf } from './places.ts'

interface MoreMenuProps extends MoreProps {
  opened: boolean
  onChange: (opened: boolean) => void
}

/** The pages that have no tab in the bar of a narrow window. */
export default function MoreMenu({ places, badges, opened, onChange }: MoreMenuProps) {
  const { t } = useTranslation()
  return (
    <Menu position="top-end" width={240} opened={opened} onChange={onChange}>
      <Menu.Target>
        <MoreButton places={places} badges={badges} />
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
