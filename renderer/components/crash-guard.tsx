import { Button, Stack } from '@mantine/core'
import { IconMoodConfuzed, IconPlugConnectedX } from '@tabler/icons-react'
import { Component, type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { serverAnswers } from '../api/client.ts'
import { EmptyState } from './empty-state.tsx'

interface CrashGuardProps {
  children: ReactNode
  /** Whether the page itself could not be loaded, as opposed to a fault in it. */
  isNotLoaded: (error: unknown) => boolean
}

interface State {
  failed: { error: unknown } | null
}

/** A page that throws does not take the window with it. React knows error boundaries only as classes. */
export class CrashGuard extends Component<CrashGuardProps, State> {
  override state: State = { failed: null }

  static getDerivedStateFromError(error: unknown): State {
    return { failed: { error } }
  }

  override render() {
    const { failed } = this.state
    if (failed === null) return this.props.children
    return this.props.isNotLoaded(failed.error) ? <NotLoaded /> : <Crashed />
  }
}

/** How often the server is asked (milliseconds). */
const ASK_AGAIN = 2_000
/** A page that fails again so soon after a reload is not reloaded by itself once more (milliseconds). */
const NOT_AGAIN_WITHIN = 30_000
const RELOADED_AT = 'kurir.reloaded'

/** Waits for the server, then reloads the window: a browser may keep the failure of a script for as long as the page lives. */
function NotLoaded() {
  const { t } = useTranslation()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    async function ask() {
      if ((await serverAnswers()) && mayReload()) location.reload()
      else timer = setTimeout(() => void ask(), ASK_AGAIN)
    }
    timer = setTimeout(() => void ask(), ASK_AGAIN)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Stack role="alert">
      <EmptyState
        icon={<IconPlugConnectedX size={40} stroke={1.5} />}
        title={t('errors.connection')}
        hint={t('errors.connectionHint')}
        action={<Button onClick={() => location.reload()}>{t('actions.retry')}</Button>}
      />
    </Stack>
  )
}

/** Once in a while: a script that is gone for good must not reload the window for ever. */
function mayReload(): boolean {
  const now = Date.now()
  if (now - Number(sessionStorage.getItem(RELOADED_AT)) < NOT_AGAIN_WITHIN) return false
  sessionStorage.setItem(RELOADED_AT, String(now))
  return true
}

function Crashed() {
  const { t } = useTranslation()
  return (
    <Stack role="alert">
      <EmptyState
        icon={<IconMoodConfuzed size={40} stroke={1.5} />}
        title={t('errors.crashed')}
        hint={t('errors.crashedHint')}
        action={<Button onClick={() => location.reload()}>{t('errors.reload')}</Button>}
      />
    </Stack>
  )
}
