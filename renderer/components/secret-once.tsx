import { Button, Group, Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLeaveGuard } from '../hooks/leave-guard.ts'
import { CopyButton } from './copy-button.tsx'
import classes from './secret-once.module.css'

interface SecretOnceProps {
  title: string
  hint: string
  value: string
  /** Called when the owner says that the secret is stored. */
  onStored?: () => void
}

/** A secret that Kurir shows only once. Until it is copied or confirmed, leaving asks first. */
export function SecretOnce({ title, hint, value, onStored }: SecretOnceProps) {
  const { t } = useTranslation()
  const id = useId()
  const [copied, setCopied] = useState(false)
  const release = useLeaveGuard(!copied, 'secret')
  const section = useRef<HTMLDivElement>(null)
  // The focus would be lost if the form that made the secret is gone.
  useEffect(() => section.current?.focus(), [])

  function stored() {
    release()
    onStored?.()
  }

  return (
    <Stack
      ref={section}
      role="group"
      tabIndex={-1}
      gap="sm"
      align="flex-start"
      className={classes.secret ?? ''}
      aria-labelledby={id}
    >
      <Text fw={600} id={id} style={{ display: 'flex', alignItems: 'center', gap: 8 }}>
        <IconKey size={18} stroke={1.75} aria-hidden="true" />
        {title}
      </Text>
      <code className={classes.value} onCopy={() => setCopied(true)}>
        {value}
      </code>
      <Text size="sm">{hint}</Text>
      <Group gap="sm">
        <CopyButton value={value} onCopied={() => setCopied(true)} />
        {onStored === undefined ? null : (
          <Button size="xs" variant={copied ? 'filled' : 'default'} onClick={stored}>
            {t('leave.stored')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
