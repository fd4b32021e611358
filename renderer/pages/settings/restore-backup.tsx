import { FileInput, PasswordInput, Progress, Stack, Text } from '@mantine/core'
import { IconFileZip } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { restoredAnswer } from '../../../server/slices/backup/contract.ts'
import { upload } from '../../api/upload.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ConfirmTyped } from '../../components/confirm-typed.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Setting } from './setting.tsx'

/** Replaces all data with a backup, after a question. */
export function RestoreBackup() {
  const { t } = useTranslation()
  const [file, setFile] = useState<File | null>(null)
  const [passphrase, setPassphrase] = useState('')
  const [asking, setAsking] = useState(false)
  const [percent, setPercent] = useState(0)
  const restore = useMutation({
    // Header values are ASCII, passphrases are not.
    mutationFn: (chosen: File) =>
      upload(restoredAnswer, '/api/restore', chosen, { 'x-passphrase': encodeURIComponent(passphrase) }, setPercent),
    onMutate: () => setPercent(0),
    onSuccess() {
      setFile(null)
      setPassphrase('')
    },
  })

  return (
    <Setting
      named
      label={t('settings.backup.restore')}
      hint={t('settings.backup.restoreHint')}
      below={
        <>
          {restore.isPending ? <RestoreProgress percent={percent} /> : null}
          {restore.data === undefined ? null : (
            <Text size="sm" role="status">
              {restore.data.data.restarts ? t('settings.backup.restarting') : t('settings.backup.nextStart')}
            </Text>
          )}
          {restore.error === null ? null : <ErrorState error={restore.error} />}
          <ConfirmTyped
            opened={asking && file !== null}
            title={t('settings.backup.restoreTitle')}
            losses={[
              t('settings.backup.lossNow'),
              t('settings.backup.lossSend'),
              t('settings.backup.lossLink'),
              t('settings.backup.lossLogin'),
            ]}
            word={t('settings.backup.word')}
            confirmLabel={t('settings.backup.restore')}
            pending={false}
            error={null}
            onConfirm={() => {
              setAsking(false)
              if (file !== null) restore.mutate(file)
            }}
            onClose={() => setAsking(false)}
          />
        </>
      }
    >
      {() => (
        <Stack gap="sm" data-wide>
          <FileInput
            placeholder={t('settings.backup.choose')}
            leftSection={<IconFileZip size={16} />}
            clearable
            clearButtonProps={{ 'aria-label': t('settings.backup.dropFile') }}
            value={file}
            onChange={(chosen) => {
              setFile(chosen)
              restore.reset()
            }}
          />
          <PasswordInput
            aria-label={`${t('settings.backup.restore')}: ${t('settings.backup.passphrase')}`}
            placeholder={t('settings.backup.keyOrPassphrase')}
            autoComplete="off"
            value={passphrase}
            onChange={(event) => setPassphrase(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': `${t('actions.show')}: ${t('settings.backup.passphrase')}` }}
          />
          <BusyButton
            variant="outline"
            color="red"
            style={{ alignSelf: 'flex-end' }}
            disabled={file === null || passphrase === ''}
            busy={restore.isPending}
            onClick={() => setAsking(true)}
          >
            {t('settings.backup.restore')}
          </BusyButton>
        </Stack>
      )}
    </Setting>
  )
}

function RestoreProgress({ percent }: { percent: number }) {
  const { t } = useTranslation()
  return (
    <div role="status">
      <Text size="sm">
        {percent < 100 ? t('settings.backup.uploading', { percent }) : t('settings.backup.checking')}
      </Text>
      <Progress value={percent} animated={percent === 100} mt={4} aria-label={t('settings.backup.restore')} />
    </div>
  )
}
