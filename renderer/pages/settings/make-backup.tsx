import { PasswordInput, Progress, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { backupRequest } from '../../../server/slices/backup/contract.ts'
import { download } from '../../api/download.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { Setting } from './setting.tsx'

const SHORTEST = backupRequest.shape.passphrase.minLength ?? 1

/**
 * Makes a backup of everything, encrypted with a password. The password is asked twice, because a
 * typo would make the file useless.
 */
export function MakeBackup() {
  const { t } = useTranslation()
  const format = useFormat()
  const [passphrase, setPassphrase] = useState('')
  const [repeated, setRepeated] = useState('')
  const [percent, setPercent] = useState(0)
  const make = useMutation({
    mutationFn: () => download('/api/backup', { body: { passphrase }, onPart: (_part, done) => setPercent(done ?? 0) }),
    onMutate: () => setPercent(0),
    onSuccess: (bytes) => {
      setPassphrase('')
      setRepeated('')
      notifications.show({ message: t('settings.backup.made', { size: format.bytes(bytes) }) })
    },
  })
  const differs = repeated !== '' && repeated !== passphrase

  function submit(event: FormEvent) {
    event.preventDefault()
    make.mutate()
  }

  return (
    <Setting
      named
      label={t('settings.backup.make')}
      hint={t('settings.backup.makeHint')}
      below={
        <>
          {make.isPending ? (
            <div role="status">
              <Text size="sm">
                {percent === 0 ? t('settings.backup.preparing') : t('settings.backup.making', { percent })}
              </Text>
              <Progress value={percent || 100} animated={percent === 0} mt={4} aria-label={t('settings.backup.make')} />
            </div>
          ) : null}
          {make.error === null ? null : <ErrorState error={make.error} />}
        </>
      }
    >
      {() => (
        <form onSubmit={submit} data-wide>
          <Stack gap="sm" align="stretch">
            <Password
              label={t('settings.backup.passphrase')}
              description={t('settings.backup.passphraseHint', { count: SHORTEST })}
              value={passphrase}
              onChange={setPassphrase}
            />
            <Password
              label={t('settings.backup.repeat')}
              error={differs ? t('settings.backup.mismatch') : null}
              value={repeated}
              onChange={setRepeated}
            />
            <BusyButton
              type="submit"
              variant="default"
              style={{ alignSelf: 'flex-end' }}
              disabled={passphrase.length < SHORTEST || repeated !== passphrase}
              busy={make.isPending}
            >
              {t('settings.backup.make')}
            </BusyButton>
          </Stack>
        </form>
      )}
    </Setting>
  )
}

interface PasswordProps {
  label: string
  description?: string
  error?: string | null
  value: string
  onChange: (value: string) => void
}

function Password({ label, description, error = null, value, onChange }: PasswordProps) {
  const { t } = useTranslation()
  return (
    <PasswordInput
      aria-label={`${t('settings.backup.make')}: ${label}`}
      placeholder={label}
      description={description}
      inputWrapperOrder={['input', 'error', 'description']}
      autoComplete="new-password"
      maxLength={1024}
      error={error}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': `${t('actions.show')}: ${t('settings.backup.make')}, ${label}` }}
    />
  )
}
