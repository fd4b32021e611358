import { Text, Title, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { usePageTitle } from '../hooks/use-page-title.ts'
import type { TabGroup } from './navigation/places.ts'
import classes from './page-header.module.css'
import { PageTabs } from './page-tabs.tsx'

interface PageHeaderProps {
  title: string
  /** Tabs that the page belongs to. They are shown instead of the title, which is one of them. */
  tabs?: TabGroup | undefined
  /** A sentence below the title. */
  lead?: ReactNode
  /** The one primary action of the page. */
  action?: ReactNode
}

export function PageHeader({ title, tabs, lead, action }: PageHeaderProps) {
  usePageTitle(title)
  const heading = <Title order={1}>{title}</Title>
  return (
    <header className={classes.header}>
      <div>
        {tabs === undefined ? (
          heading
        ) : (
          <>
            <VisuallyHidden>{heading}</VisuallyHidden>
            <PageTabs of={tabs} />
          </>
        )}
        {lead === undefined ? null : (
          <Text c="dimmed" size="sm">
            {lead}
          </Text>
        )}
      </div>
      {action}
    </header>
  )
}
