import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy, type IconProps } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type ComponentType, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from '../model/copy-text.ts'

interface CopyButtonProps {
  value: string
  /** Name of the copied text, shown beside the icon. If `compact`: only in the tooltip. */
  label?: string
  compact?: boolean
  icon?: ComponentType<IconProps>
  onCopied?: () => void
}

/** Milliseconds during which the button says that the text was copied. */
const SHOWN = 1_500

export function CopyButton({ value, label, compact = false, icon: Icon = IconCopy, onCopied }: CopyButtonProps) {
  const { t } = useTranslation()
  const { mutate, reset, isSuccess, isError } = useMutation({
    mutationFn: () => copyText(value),
    networkMode: 'always',
    ...(onCopied === undefined ? {} : { onSuccess: onCopied }),
  })
  useEffect(() => {
    if (!isSuccess) return
    const timer = setTimeout(reset, SHOWN)
    return () => clearTimeout(timer)
  }, [isSuccess, reset])

  const text = isSuccess ? t('actions.copied') : isError ? t('actions.copyRefused') : (label ?? t('actions.copy'))
  const icon = isSuccess ? <IconCheck size={16} /> : <Icon size={16} />
  return compact ? (
    <Tooltip label={text}>
      <ActionIcon variant="subtle" color="gray" onClick={() => mutate()} aria-label={text}>
        {icon}
      </ActionIcon>
    </Tooltip>
  ) : (
    <Button variant="default" size="xs" leftSection={icon} onClick={() => mutate()}>
      {text}
    </Button>
  )
}
