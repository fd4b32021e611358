import { Group, Paper, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface PanelProps {
  title?: string
  aside?: ReactNode
  /** Smaller spacing, for a short list above the page's main part. */
  compact?: true
  children: ReactNode
}

export function Panel({ title, aside, compact, children }: PanelProps) {
  const id = useId()
  return (
    <Paper
      component="section"
      withBorder
      p={compact ? 'md' : { base: 'md', sm: 'lg' }}
      {...(title === undefined ? {} : { 'aria-labelledby': id })}
    >
      {title === undefined ? null : (
        <Group justify="space-between" mb={compact ? 'xs' : 'md'}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {aside}
        </Group>
      )}
      {children}
    </Paper>
  )
}
