import { Stack, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface SectionProps {
  title: string
  children: ReactNode
}

/** A part of a drawer with its heading. */
export function Section({ title, children }: SectionProps) {
  const id = useId()
  return (
    <Stack component="section" gap="sm" aria-labelledby={id}>
      <Title order={3} size="h2" id={id}>
        {title}
      </Title>
      {children}
    </Stack>
  )
}
