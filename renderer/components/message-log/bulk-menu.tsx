import { Button, Menu } from '@mantine/core'
import { IconBan, IconDots, IconRefresh } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { MessageFilters } from '../../api/message-filters.ts'
import { useBeginBulk } from './use-begin-bulk.tsx'

const ICONS = { cancel: IconBan, send_again: IconRefresh }

interface BulkMenuProps {
  filters: MessageFilters
  /** How many fit the filters; null: more than are read yet. */
  count: number | null
  /** The rows of these filters are shown, no longer those of the filters before. */
  isShown: boolean
}

/** Acts on all messages that fit the filters. One begins at once, is counted, and can be undone. */
export function BulkMenu({ filters, count, isShown }: BulkMenuProps) {
  const { t } = useTranslation()
  const { begin, isPending } = useBeginBulk()
  const title = count === null ? t('messages.bulk.title') : t('messages.bulk.titleOf', { count })
  const statuses = filters.status?.split(',')
  const possible = (['cancel', 'send_again'] as const).filter(
    (action) => statuses === undefined || statuses.includes(action === 'cancel' ? 'queued' : 'failed'),
  )

  if (possible.length === 0 || count === 0) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDots size={16} />}
          aria-label={title}
          aria-busy={isPending}
          disabled={!isShown}
        >
          {title}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {possible.map((action) => {
          const Icon = ICONS[action]
          return (
            <Menu.Item key={action} leftSection={<Icon size={16} />} onClick={() => begin(action, filters)}>
              {t(`messages.bulk.${action}`)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
