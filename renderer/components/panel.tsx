import { Group, Paper, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface PanelProps {
  title?: string
  aside?: ReactNode
  children: ReactNode
}

/** A group of things on a page, on its own sheet. */
export function Panel({ title, aside, children }: PanelProps) {
  const id = useId()
  return (
    <Paper
      component="section"
      withBorder
      p={{ base: 'md', sm: 'lg' }}
      {...(title === undefined ? {} : { 'aria-labelledby': id })}
    >
      {title === undefined ? null : (
        <Group justify="space-between" mb="md">
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
