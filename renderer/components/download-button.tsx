import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { download } from '../api/download.ts'
import { useTellError } from '../hooks/use-tell-error.ts'

/** Exports a list as a file. @param path route of the export */
export function DownloadButton({ path }: { path: string }) {
  const { t } = useTranslation()
  const tellError = useTellError()
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => download(path).catch(tellError)}>
      {t('messages.export')}
    </Button>
  )
}
