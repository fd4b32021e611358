import { Progress } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { DesktopBridge, UpdateState } from '../../../server/contract/desktop.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Setting } from './setting.tsx'

/** Milliseconds between reads of a download's progress. */
const WHILE_LOADING = 1_000

/** Updates of the desktop program: a check, the download, and a button that installs. */
export function UpdateSetting({ desktop }: { desktop: DesktopBridge }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const update = useQuery({
    queryKey: queryKeys.update,
    queryFn: () => desktop.getUpdate(),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isMoving(data) ? WHILE_LOADING : false),
  })
  const check = useMutation({
    mutationFn: () => desktop.checkForUpdate(),
    onSuccess: (state) => client.setQueryData(queryKeys.update, state),
  })
  const install = useMutation({ mutationFn: () => desktop.installUpdate() })
  const state = update.data
  const error = check.error ?? install.error
  if (state === undefined) return null
  return (
    <Setting
      named
      label={t('settings.about.update')}
      hint={t(`settings.about.updates.${state.state}`, valuesOf(state))}
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
          <BusyButton busy={install.isPending} onClick={() => install.mutate()}>
            {t('settings.about.install')}
          </BusyButton>
        ) : state.state === 'off' ? null : (
          <BusyButton variant="default" busy={check.isPending || isMoving(state)} onClick={() => check.mutate()}>
            {t('settings.about.check')}
          </BusyButton>
        )
      }
    </Setting>
  )
}

const isMoving = ({ state }: UpdateState) => state === 'checking' || state === 'downloading'

const valuesOf = (state: UpdateState) =>
  state.state === 'downloading'
    ? { version: state.version, percent: Math.round(state.percent) }
    : { version: state.state === 'ready' ? state.version : '' }
