import { ActionIcon, Button, CopyButton as Copy, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy, type IconProps } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { useTranslation } from 'react-i18next'

interface CopyButtonProps {
  value: string
  /** What is copied. Shown as a word beside the icon, or only told to screen readers when `compact`. */
  label?: string
  compact?: boolean
  icon?: ComponentType<IconProps>
}

export function CopyButton({ value, label, compact = false, icon: Icon = IconCopy }: CopyButtonProps) {
  const { t } = useTranslation()
  const name = label ?? t('actions.copy')
  return (
    <Copy value={value}>
      {({ copied, copy }) => {
        const words = copied ? t('actions.copied') : name
        const icon = copied ? <IconCheck size={16} /> : <Icon size={16} />
        return compact ? (
          <Tooltip label={words}>
            <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={words}>
              {icon}
            </ActionIcon>
          </Tooltip>
        ) : (
          <Button variant="default" size="xs" leftSection={icon} onClick={copy}>
            {words}
          </Button>
        )
      }}
    </Copy>
  )
}
