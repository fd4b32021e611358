import { Button, Menu } from '@mantine/core'
import { IconBan, IconDots, IconRefresh } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { MessageFilters } from '../../api/message-filters.ts'
import { useBeginBulk } from './use-begin-bulk.tsx'

const ICONS = { cancel: IconBan, send_again: IconRefresh }

interface BulkMenuProps {
  filters: MessageFilters
  /** Number of matching messages. Null: not all of them were read. */
  count: number | null
  /** True if the shown rows belong to these filters, not to the previous ones. */
  isShown: boolean
}

/** Actions on all matching messages. An action starts at once and can be undone for a while. */
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
