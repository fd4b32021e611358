import { Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBan, IconDots, IconRefresh } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { type BulkAction, UNDO_WITHIN } from '../../../server/bulk/contract.ts'
import { useBulk } from '../../api/bulk.ts'
import type { MessageFilters } from '../../api/message-filters.ts'
import { useErrorText } from '../../hooks/use-error-text.ts'
import { UndoNotice } from './undo-notice.tsx'

const ICONS = { cancel: IconBan, send_again: IconRefresh }

/** Acts on all messages that fit the filters. One begins at once, is counted, and can be undone. */
export function BulkMenu({ filters }: { filters: MessageFilters }) {
  const { t } = useTranslation()
  const bulk = useBulk()
  const statuses = filters.status?.split(',')
  const possible = (['cancel', 'send_again'] as const).filter(
    (action) => statuses === undefined || statuses.includes(action === 'cancel' ? 'queued' : 'failed'),
  )

  function begin(action: BulkAction) {
    bulk.mutate(
      { action, filters },
      {
        onSuccess: (view) => {
          if (view.count === 0) return void notifications.show({ message: t(`messages.bulk.none.${action}`) })
          const id = `bulk ${view.id}`
          const close = () => notifications.hide(id)
          notifications.show({
            id,
            autoClose: UNDO_WITHIN,
            withCloseButton: false,
            message: <UndoNotice view={view} close={close} />,
          })
        },
        onError: (error) => notifications.show({ color: 'red', message: <Refused error={error} /> }),
      },
    )
  }

  if (possible.length === 0) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDots size={16} />}
          aria-label={t('messages.bulk.title')}
          aria-busy={bulk.isPending}
        >
          {t('messages.bulk.title')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {possible.map((action) => {
          const Icon = ICONS[action]
          return (
            <Menu.Item key={action} leftSection={<Icon size={16} />} onClick={() => begin(action)}>
              {t(`messages.bulk.${action}`)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}

const Refused = ({ error }: { error: Error }) => <>{useErrorText()(error).title}</>
