import { Group, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'

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
    <Group component="header" justify="space-between" align="flex-start" wrap="nowrap" mb="md" mih={36}>
      <div>
        <Title order={1}>{title}</Title>
        {lead === undefined ? null : (
          <Text c="dimmed" size="sm">
            {lead}
          </Text>
        )}
      </div>
      {action}
    </Group>
  )
}
