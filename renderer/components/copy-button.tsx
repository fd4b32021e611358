import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy, type IconProps } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type ComponentType, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from '../model/copy-text.ts'

interface CopyButtonProps {
  value: string
  /** What is copied. Shown as a word beside the icon, or only told to screen readers when `compact`. */
  label?: string
  compact?: boolean
  icon?: ComponentType<IconProps>
}

const SHOWN_MS = 1_500

export function CopyButton({ value, label, compact = false, icon: Icon = IconCopy }: CopyButtonProps) {
  const { t } = useTranslation()
  const { mutate, reset, isSuccess, isError } = useMutation({
    mutationFn: () => copyText(value),
    networkMode: 'always',
  })
  useEffect(() => {
    if (!isSuccess) return
    const timer = setTimeout(reset, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isSuccess, reset])

  const words = isSuccess ? t('actions.copied') : isError ? t('actions.copyRefused') : (label ?? t('actions.copy'))
  const icon = isSuccess ? <IconCheck size={16} /> : <Icon size={16} />
  return compact ? (
    <Tooltip label={words}>
      <ActionIcon variant="subtle" color="gray" onClick={() => mutate()} aria-label={words}>
        {icon}
      </ActionIcon>
    </Tooltip>
  ) : (
    <Button variant="default" size="xs" leftSection={icon} onClick={() => mutate()}>
      {words}
    </Button>
  )
}
