import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { type BulkView, UNDO_WITHIN } from '../../../server/slices/bulk/contract.ts'
import { useUndoBulk } from '../../api/bulk.ts'
import { useNow } from '../../hooks/use-now.ts'

interface UndoNoticeProps {
  view: BulkView
  close: () => void
}

/** How many messages an action takes, and the time that is left to undo it. */
export function UndoNotice({ view: { id, action, count, more, runs_at }, close }: UndoNoticeProps) {
  const { t } = useTranslation()
  const undo = useUndoBulk()
  const now = useNow(1_000)
  // The clocks of this browser and the PC may differ.
  const left = Math.min(Math.max(Math.ceil((Date.parse(runs_at) - now) / 1_000), 0), UNDO_WITHIN / 1_000)
  const onSuccess = (undone: number) => {
    close()
    notifications.show({ message: t('messages.bulk.undone', { count: undone }) })
  }
  const onError = () => notifications.show({ color: 'red', message: t('messages.bulk.tooLate') })
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm">
        {t(`messages.bulk.begun.${action}`, { count })} {more ? t('messages.bulk.more') : ''}
      </Text>
      <Button
        flex="none"
        size="xs"
        variant="default"
        aria-busy={undo.isPending}
        onClick={() => undo.mutate(id, { onSuccess, onError })}
      >
        {t('messages.bulk.undo', { left })}
      </Button>
    </Group>
  )
}
