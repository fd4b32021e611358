import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { type BulkAction, UNDO_WITHIN } from '../../../server/slices/bulk/contract.ts'
import { useBulk } from '../../api/bulk.ts'
import type { MessageFilters } from '../../api/message-filters.ts'
import { useTellError } from '../../hooks/use-tell-error.ts'
import { UndoNotice } from './undo-notice.tsx'

/** Starts an action on all matching messages, and shows their number with a button to undo it. */
export function useBeginBulk() {
  const { t } = useTranslation()
  const bulk = useBulk()
  const tellError = useTellError()

  function begin(action: BulkAction, filters: MessageFilters, to?: string) {
    bulk.mutate(
      { action, filters, ...(to === undefined ? {} : { to }) },
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
        onError: tellError,
      },
    )
  }

  return { begin, isPending: bulk.isPending }
}
