import { Button, FileButton, Group, Text } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { storeFile } from '../../../api/files.ts'
import { ErrorState } from '../../../components/error-state.tsx'
import type { TableDraft } from './use-table-draft.ts'

/** Files that rows name. They are uploaded before the table is sent. */
export function TableFiles({ draft: { files, addFile } }: { draft: TableDraft }) {
  const { t } = useTranslation()
  const [left, setLeft] = useState(0)
  const store = useMutation({
    async mutationFn(chosen: File[]) {
      for (const [done, file] of chosen.entries()) {
        setLeft(chosen.length - done)
        addFile(file.name, (await storeFile(file)).file_id)
      }
    },
  })
  const count = Object.keys(files).length

  return (
    <div>
      <Group gap="sm">
        <FileButton multiple onChange={(chosen) => store.mutate(chosen)}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconPaperclip size={16} />} disabled={store.isPending}>
              {t('tables.chooseFiles')}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed" role="status">
          {store.isPending ? t('tables.filesLeft', { count: left }) : t('tables.files', { count })}
        </Text>
      </Group>
      {store.error === null ? null : <ErrorState error={store.error} />}
    </div>
  )
}
