import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: ReactNode
  title: string
  /** A sentence that says what to do first. */
  hint: string
  action?: ReactNode
  /** The page shows nothing else, so the title is its heading. */
  wholePage?: true
}

export const EmptyState = ({ icon, title, hint, action, wholePage }: EmptyStateProps) => (
  <Stack align="center" gap="sm" py={64} px="md" ta="center">
    <Text c="dimmed" lh={1} component="span">
      {icon}
    </Text>
    <Text fw={600} {...(wholePage ? { component: 'h1', m: 0 } : {})}>
      {title}
    </Text>
    <Text c="dimmed" maw={440}>
      {hint}
    </Text>
    {action}
  </Stack>
)
