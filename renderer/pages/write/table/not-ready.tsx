import { Alert, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../../server/contract/senders.ts'
import { RecoverButton } from '../../../components/recover-button.tsx'

/** Says that nothing leaves from this sender now, with the button that helps. */
export function NotReady({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const { state } = sender
  return (
    <Alert color="yellow" role="note" title={t('tables.notConnected', { state: t(`states.sender.${state}`) })}>
      <Stack gap="sm" align="flex-start">
        {state === 'paused' ? t('tables.pausedHint') : t('tables.notConnectedHint')}
        <RecoverButton sender={sender} />
      </Stack>
    </Alert>
  )
}
