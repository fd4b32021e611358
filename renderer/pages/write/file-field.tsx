import { Button, CloseButton, FileButton, Group, Input, Progress, Text } from '@mantine/core'
import { IconCamera, IconPaperclip } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FileView } from '../../../server/contract/send.ts'
import { storeFile } from '../../api/files.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import classes from './write.module.css'

/** State of the message's file, which is uploaded as soon as it is chosen. */
export function useFile() {
  const [percent, setPercent] = useState(0)
  const [cleared, clear] = useState<FileView>()
  const store = useMutation({
    mutationFn: (file: File) => storeFile(file, setPercent),
    onMutate: () => setPercent(0),
  })
  return {
    stored: store.data === cleared ? undefined : store.data,
    pending: store.isPending,
    error: store.error,
    percent,
    take: (file: File | null | undefined) => (file ? store.mutate(file) : undefined),
    clear: () => clear(store.data),
  }
}

/** Takes a file: chosen, or photographed with a phone. The form around also takes dropped files. */
export function FileField({ file }: { file: ReturnType<typeof useFile> }) {
  const { t } = useTranslation()
  return (
    <Input.Wrapper label={t('write.file')} labelElement="div" description={t('write.fileHint')}>
      <Group gap="sm" mt={4}>
        <FileButton onChange={file.take}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconPaperclip size={16} />} aria-busy={file.pending}>
              {t('write.chooseFile')}
            </Button>
          )}
        </FileButton>
        <FileButton accept="image/*" capture="environment" onChange={file.take}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconCamera size={16} />}
              className={classes.camera ?? ''}
            >
              {t('write.camera')}
            </Button>
          )}
        </FileButton>
        {file.stored === undefined ? null : <Stored file={file.stored} remove={file.clear} />}
      </Group>
      <div role="status">
        {file.pending ? (
          <>
            <Text size="sm">{t('write.fileUploading', { percent: file.percent })}</Text>
            <Progress value={file.percent} mt={4} aria-label={t('write.file')} />
          </>
        ) : null}
      </div>
      {file.error === null ? null : <ErrorState error={file.error} />}
    </Input.Wrapper>
  )
}

function Stored({ file: { name, size }, remove }: { file: FileView; remove: () => void }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {name} · {format.bytes(size)}
      </Text>
      <CloseButton aria-label={t('write.removeFile', { name })} onClick={remove} />
    </Group>
  )
}
