import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { download } from '../api/download.ts'
import { useErrorText } from '../hooks/use-error-text.ts'

/** Exports a list as a file; `path` is its route. */
export function DownloadButton({ path }: { path: string }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const refuse = (error: Error) => notifications.show({ color: 'red', message: errorText(error).title })
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => download(path).catch(refuse)}>
      {t('messages.export')}
    </Button>
  )
}
