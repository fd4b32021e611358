import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { useCancelMessage, useRetryMessage } from '../../api/messages.ts'
import { useSettings } from '../../api/settings.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { callOf, snippet } from '../../model/snippets.ts'
import { BusyButton } from '../busy-button.tsx'
import { CopyButton } from '../copy-button.tsx'
import { ErrorState } from '../error-state.tsx'

export function MessageActions({ message }: { message: MessageDetail }) {
  const { t } = useTranslation()
  const cancel = useCancelMessage(message.id)
  const retry = useRetryMessage(message.id)
  const apiUrl = useSettings().data?.api_url ?? location.origin
  const [, set] = useUrlState()
  const error = cancel.error ?? retry.error
  const ended = message.status === 'failed' || message.status === 'cancelled'
  return (
    <>
      <Group gap="sm">
        {message.status === 'queued' ? (
          <BusyButton size="xs" variant="default" busy={cancel.isPending} onClick={() => cancel.mutate()}>
            {t('messages.cancel')}
          </BusyButton>
        ) : null}
        {ended && (message.channel === 'standard' || message.via !== null) ? (
          <BusyButton
            size="xs"
            busy={retry.isPending}
            onClick={() => retry.mutate(undefined, { onSuccess: ({ id }) => set({ open: id }) })}
          >
            {t('messages.again')}
          </BusyButton>
        ) : null}
        <CopyButton value={snippet('curl', callOf(message, apiUrl))} label={t('messages.curl')} />
      </Group>
      {error === null ? null : <ErrorState error={error} />}
    </>
  )
}
