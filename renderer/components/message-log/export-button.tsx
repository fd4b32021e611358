import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload, IconPlayerStop } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queryString } from '../../api/client.ts'
import { exportCsv } from '../../api/export-csv.ts'
import type { MessageFilters } from '../../api/message-filters.ts'

/** Exports what the filters show; while it runs the button tells how far it is and stops it. */
export function ExportButton({ filters }: { filters: MessageFilters }) {
  const { t } = useTranslation()
  const [rows, setRows] = useState(0)
  const stop = useRef(new AbortController())
  const run = useMutation({
    mutationFn: () => {
      setRows(0)
      stop.current = new AbortController()
      return exportCsv(`/api/messages/export.csv${queryString({ ...filters })}`, stop.current.signal, setRows)
    },
    onSuccess: (count) => notifications.show({ message: t('messages.exported', { count }) }),
    onError: () => stop.current.signal.aborted || notifications.show({ color: 'red', message: t('errors.connection') }),
  })

  return run.isPending ? (
    <Button
      variant="default"
      leftSection={<IconPlayerStop size={16} />}
      aria-label={t('messages.stopExport')}
      onClick={() => stop.current.abort()}
    >
      {t('messages.exporting', { count: rows })}
    </Button>
  ) : (
    <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => run.mutate()}>
      {t('messages.export')}
    </Button>
  )
}
