import { Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useId } from 'react'
import { CopyButton } from './copy-button.tsx'
import classes from './secret-once.module.css'

interface SecretOnceProps {
  title: string
  hint: string
  value: string
}

/** A secret that Kurir will not show again, ready to copy. */
export function SecretOnce({ title, hint, value }: SecretOnceProps) {
  const id = useId()
  return (
    <Stack component="section" gap="sm" align="flex-start" className={classes.secret ?? ''} aria-labelledby={id}>
      <Text fw={600} id={id} style={{ display: 'flex', alignItems: 'center', gap: 8 }}>
        <IconKey size={18} stroke={1.75} aria-hidden="true" />
        {title}
      </Text>
      <code className={classes.value}>{value}</code>
      <CopyButton value={value} />
      <Text size="sm">{hint}</Text>
    </Stack>
  )
}
