import { Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload, IconPlayerStop } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queryString } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import type { MessageFilters } from '../../api/message-filters.ts'
import { useTellError } from '../../hooks/use-tell-error.ts'
import { createRowCounter } from '../../model/csv-rows.ts'
import { asTyped } from '../../model/send-at.ts'

interface ExportButtonProps {
  filters: MessageFilters
  /** Part of the file's name, such as a month. Default: today. */
  period?: string
}

const LAYOUTS = ['spreadsheet', 'data'] as const

/** Exports the filtered messages. During the export the button shows the progress and stops it. */
export function ExportButton({ filters, period }: ExportButtonProps) {
  const { t, i18n } = useTranslation()
  const tellError = useTellError()
  const [rows, setRows] = useState(0)
  const stop = useRef(new AbortController())
  const run = useMutation({
    async mutationFn(layout: (typeof LAYOUTS)[number]) {
      const rowsUpTo = createRowCounter()
      let count = 0
      setRows(count)
      stop.current = new AbortController()
      const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone
      const forPeople = layout === 'data' ? {} : { layout, language: i18n.language, time_zone }
      await download(`/api/messages/export.csv${queryString({ ...filters, ...forPeople })}`, {
        signal: stop.current.signal,
        name: `kurir-${period ?? asTyped(new Date().toISOString()).slice(0, 10)}.csv`,
        onPart(part) {
          count = rowsUpTo(part)
          setRows(count)
        },
      })
      return count
    },
    onSuccess: (count) => notifications.show({ message: t('messages.exported', { count }) }),
    onError: (error) => (stop.current.signal.aborted ? undefined : tellError(error)),
  })

  // One button starts and stops, so that it keeps the focus.
  return (
    <Menu position="bottom-end" disabled={run.isPending}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={run.isPending ? <IconPlayerStop size={16} /> : <IconDownload size={16} />}
          onClick={() => (run.isPending ? stop.current.abort() : undefined)}
          aria-label={run.isPending ? t('messages.stopExport') : t('messages.export')}
        >
          {run.isPending ? t('messages.exporting', { count: rows }) : t('messages.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {LAYOUTS.map((layout) => (
          <Menu.Item key={layout} onClick={() => run.mutate(layout)}>
            {t(`messages.layout.${layout}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
