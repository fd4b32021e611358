import { Button, Center, Group, Loader } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useSend } from '../../api/send.ts'
import { phoneInText } from '../../model/phone.ts'
import { BusyButton } from '../busy-button.tsx'
import { EmptyState } from '../empty-state.tsx'
import { ErrorState } from '../error-state.tsx'
import { OtherPhone } from '../other-phone.tsx'
import { SentStatus } from '../sent-status.tsx'

export function Found() {
  const { t } = useTranslation()
  return (
    <div role="status">
      <EmptyState
        icon={<Loader size={40} aria-hidden="true" />}
        title={t('senders.linking.found')}
        hint={t('senders.linking.foundHint')}
      />
    </div>
  )
}

interface FailedProps {
  /** Code of the reason, for the programmer. */
  reason: string | null
  retry: () => void
}

export function Failed({ reason, retry }: FailedProps) {
  const { t } = useTranslation()
  return (
    <div role="alert">
      <EmptyState
        icon={<IconAlertTriangle size={40} stroke={1.5} color="var(--status-bad)" />}
        title={t('senders.linking.failed')}
        hint={`${t('senders.linking.failedHint')}${reason === null ? '' : ` (${reason})`}`}
        action={<Button onClick={retry}>{t('actions.retry')}</Button>}
      />
    </div>
  )
}

export function Linked({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const send = useSend()
  const { sender_code, phone: digits, account_name: account } = sender
  const phone = phoneInText(digits ?? '')
  // No message leaves from another number until the owner agrees.
  if (sender.previous_phone !== null) return <OtherPhone sender={sender} />
  return (
    <div role="status">
      <EmptyState
        icon={<IconCircleCheck size={48} stroke={1.5} color="var(--status-good)" />}
        title={
          account === null || account === digits
            ? t('senders.linking.linkedAlone', { phone })
            : t('senders.linking.linked', { phone, account })
        }
        hint={t('senders.linking.linkedHint')}
        action={
          <Group gap="sm" justify="center">
            <BusyButton
              busy={send.isPending}
              disabled={digits === null}
              onClick={() => send.mutate({ sender_code, phone: digits ?? '', message: t('senders.linking.testText') })}
            >
              {t('senders.linking.test')}
            </BusyButton>
            <Button variant="default" component={Link} href={`/senders?open=${sender_code}`}>
              {t('senders.linking.toSender')}
            </Button>
          </Group>
        }
      />
      {send.data === undefined ? null : (
        <Center mb="md">
          <SentStatus key={send.data.data.id} id={send.data.data.id} />
        </Center>
      )}
      {send.error === null ? null : <ErrorState error={send.error} />}
    </div>
  )
}
