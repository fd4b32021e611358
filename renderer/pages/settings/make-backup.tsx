import { Button, PasswordInput, Progress, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../api/download.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { formatBytes } from '../../model/bytes.ts'
import { Setting } from './setting.tsx'

const SHORTEST_PASSPHRASE = 8

/** A file with everything, locked with a passphrase. */
export function MakeBackup() {
  const { t, i18n } = useTranslation()
  const [passphrase, setPassphrase] = useState('')
  const [percent, setPercent] = useState(0)
  const make = useMutation({
    mutationFn: () => download('/api/backup', { body: { passphrase }, onPercent: setPercent }),
    onMutate: () => setPercent(0),
    onSuccess: (bytes) => {
      setPassphrase('')
      notifications.show({ message: t('settings.backup.made', { size: formatBytes(bytes, i18n.language) }) })
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    make.mutate()
  }

  return (
    <Setting
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
      {({ id }) => (
        <form onSubmit={submit} data-wide>
          <Stack gap="sm" align="stretch">
            <PasswordInput
              id={id}
              aria-label={`${t('settings.backup.make')}: ${t('settings.backup.passphrase')}`}
              placeholder={t('settings.backup.passphrase')}
              description={t('settings.backup.passphraseHint', { count: SHORTEST_PASSPHRASE })}
              inputWrapperOrder={['input', 'description', 'error']}
              autoComplete="new-password"
              minLength={SHORTEST_PASSPHRASE}
              maxLength={1024}
              required
              value={passphrase}
              onChange={(event) => setPassphrase(event.currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': `${t('actions.show')}: ${t('settings.backup.make')}` }}
            />
            <Button
              type="submit"
              variant="default"
              style={{ alignSelf: 'flex-end' }}
              disabled={passphrase.length < SHORTEST_PASSPHRASE}
              loading={make.isPending}
            >
              {t('settings.backup.make')}
            </Button>
          </Stack>
        </form>
      )}
    </Setting>
  )
}
