import { Button, Progress } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { DesktopBridge, UpdateState } from '../../../server/contract/desktop.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Setting } from './setting.tsx'

const queryKey = ['desktop', 'update'] as const
const WHILE_LOADING_MS = 1_000

/** Updates of the desktop program: looked for, fetched, installed when the owner says so. */
export function UpdateSetting({ desktop }: { desktop: DesktopBridge }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const update = useQuery({
    queryKey,
    queryFn: () => desktop.getUpdate(),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isMoving(data) ? WHILE_LOADING_MS : false),
  })
  const check = useMutation({
    mutationFn: () => desktop.checkForUpdate(),
    onSuccess: (state) => client.setQueryData(queryKey, state),
  })
  const install = useMutation({ mutationFn: () => desktop.installUpdate() })
  const state = update.data
  const error = check.error ?? install.error
  if (state === undefined) return null
  return (
    <Setting
      named
      label={t('settings.about.update')}
      hint={t(`settings.about.updates.${state.state}`, wordsOf(state))}
      below={
        <>
          {state.state === 'downloading' ? (
            <Progress value={state.percent} aria-label={t('settings.about.update')} />
          ) : null}
          {error === null ? null : <ErrorState error={error} />}
        </>
      }
    >
      {() =>
        state.state === 'ready' ? (
          <Button loading={install.isPending} onClick={() => install.mutate()}>
            {t('settings.about.install')}
          </Button>
        ) : state.state === 'off' ? null : (
          <Button variant="default" loading={check.isPending || isMoving(state)} onClick={() => check.mutate()}>
            {t('settings.about.check')}
          </Button>
        )
      }
    </Setting>
  )
}

const isMoving = ({ state }: UpdateState) => state === 'checking' || state === 'downloading'

const wordsOf = (state: UpdateState) =>
  state.state === 'downloading'
    ? { version: state.version, percent: Math.round(state.percent) }
    : { version: state.state === 'ready' ? state.version : '' }
