import { Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../server/contract/errors.ts'
import { type BulkView, UNDO_WITHIN } from '../../../server/slices/bulk/contract.ts'
import { useUndoBulk } from '../../api/bulk.ts'
import { useErrorText } from '../../hooks/use-error-text.ts'
import { useNow } from '../../hooks/use-now.ts'
import { BusyButton } from '../busy-button.tsx'

interface UndoNoticeProps {
  view: BulkView
  close: () => void
}

/** Shows the number of an action's messages, and the seconds that are left to undo it. */
export function UndoNotice({ view: { id, action, count, more, runs_at }, close }: UndoNoticeProps) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const undo = useUndoBulk()
  const now = useNow(1_000)
  // Limited to UNDO_WITHIN, because the clocks of this browser and the PC may differ.
  const left = Math.min(Math.max(Math.ceil((Date.parse(runs_at) - now) / 1_000), 0), UNDO_WITHIN / 1_000)
  const onSuccess = (undone: number) => {
    close()
    notifications.show({ message: t('messages.bulk.undone', { count: undone }) })
  }
  const onError = (error: Error) => {
    const isOver = error instanceof ApiError && error.code === 'not_found'
    notifications.show({ color: 'red', message: isOver ? t('messages.bulk.tooLate') : errorText(error).title })
  }
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm">
        {t(`messages.bulk.begun.${action}`, { count })} {more ? t('messages.bulk.more') : ''}
      </Text>
      <BusyButton
        flex="none"
        size="xs"
        variant="default"
        busy={undo.isPending}
        onClick={() => undo.mutate(id, { onSuccess, onError })}
      >
        {t('messages.bulk.undo', { left })}
      </BusyButton>
    </Group>
  )
}
