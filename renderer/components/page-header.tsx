import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { usePageTitle } from '../hooks/use-page-title.ts'
import classes from './page-header.module.css'

interface PageHeaderProps {
  title: string
  /** One sentence below the title. */
  lead?: ReactNode
  /** The one primary action of the page. */
  action?: ReactNode
}

export function PageHeader({ title, lead, action }: PageHeaderProps) {
  usePageTitle(title)
  return (
    <header className={classes.header}>
      <div>
        <Title order={1}>{title}</Title>
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
