import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconDeviceMobileQuestion } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { SenderView } from '../../server/contract/senders.ts'
import { useSenderAction } from '../api/senders.ts'
import { phoneInText } from '../model/phone.ts'
import { BusyButton } from './busy-button.tsx'
import { ErrorState } from './error-state.tsx'

/**
 * Asks whether the waiting messages may leave from another number, after the sender was linked to
 * it. Nothing leaves until the owner agrees.
 */
export function OtherPhone({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const action = useSenderAction(sender.sender_code)
  const unlink = useSenderAction(sender.sender_code)
  const [, navigate] = useLocation()
  const { phone, previous_phone, waiting, sender_code } = sender
  const error = action.error ?? unlink.error
  // A sender has one phone, so the wrong one must be unlinked first.
  const linkTheRightOne = () => unlink.mutate('unlink', { onSuccess: () => navigate(`/senders/${sender_code}/link`) })

  if (previous_phone === null || phone === null) return null
  return (
    <Alert
      color="yellow"
      role="alert"
      icon={<IconDeviceMobileQuestion size={20} />}
      title={t('senders.otherPhone.title', { phone: phoneInText(phone), before: phoneInText(previous_phone) })}
    >
      <Stack gap="sm">
        <Text size="sm">{t('senders.otherPhone.waits', { count: waiting })}</Text>
        <Group gap="sm">
          <BusyButton size="xs" busy={action.isPending} onClick={() => action.mutate('confirm-phone')}>
            {t('senders.otherPhone.use', { phone: phoneInText(phone) })}
          </BusyButton>
          <BusyButton size="xs" variant="default" busy={unlink.isPending} onClick={linkTheRightOne}>
            {t('senders.otherPhone.wrong')}
          </BusyButton>
        </Group>
        {error === null ? null : <ErrorState error={error} />}
      </Stack>
    </Alert>
  )
}
