import { Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import classes from './page-header.module.css'

interface PageHeaderProps {
  title: string
  /** One sentence below the title. */
  lead?: ReactNode
  /** The one primary action of the page. */
  action?: ReactNode
}

export function PageHeader({ title, lead, action }: PageHeaderProps) {
  useDocumentTitle(`${title} · Kurir`)
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
