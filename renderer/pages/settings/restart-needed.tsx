import { Alert, Group, Stack } from '@mantine/core'
import { IconRefreshAlert } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { restartAnswer } from '../../../server/contract/settings.ts'
import { call } from '../../api/client.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'

/** Says that changed settings count from the next start, with a button that restarts Kurir. */
export function RestartNeeded() {
  const { t } = useTranslation()
  const restart = useMutation({ mutationFn: () => call(restartAnswer, '/api/restart', { method: 'POST' }) })
  const asked = restart.data?.data.restarts
  const textOf = (restarts: boolean | undefined) => {
    if (restarts === undefined) return t('settings.restartHint')
    return restarts ? t('settings.restarting') : t('settings.restartByHand')
  }
  return (
    <Alert color="yellow" role="status" icon={<IconRefreshAlert size={20} />} title={t('settings.restart')}>
      <Stack gap="xs">
        {textOf(asked)}
        {asked === undefined ? (
          <Group>
            <BusyButton size="xs" variant="default" busy={restart.isPending} onClick={() => restart.mutate()}>
              {t('settings.restartNow')}
            </BusyButton>
          </Group>
        ) : null}
        {restart.error === null ? null : <ErrorState error={restart.error} />}
      </Stack>
    </Alert>
  )
}
