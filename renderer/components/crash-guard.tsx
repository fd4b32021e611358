import { Button, Stack } from '@mantine/core'
import { IconMoodConfuzed } from '@tabler/icons-react'
import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from './empty-state.tsx'

interface CrashGuardProps {
  children: ReactNode
}

interface State {
  crashed: boolean
}

/** Keeps the window usable if a page throws. React has error boundaries only as classes. */
export class CrashGuard extends Component<CrashGuardProps, State> {
  override state: State = { crashed: false }

  static getDerivedStateFromError(): State {
    return { crashed: true }
  }

  override render() {
    return this.state.crashed ? <Crashed /> : this.props.children
  }
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
