import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconDeviceMobileQuestion } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SenderView } from '../../server/contract/senders.ts'
import { useSenderAction } from '../api/senders.ts'
import { formatPhone } from '../model/phone.ts'
import { BusyButton } from './busy-button.tsx'
import { ErrorState } from './error-state.tsx'

/** Asked when another number was linked while messages waited: they leave from it only when the owner says so. */
export function OtherPhone({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const action = useSenderAction(sender.sender_code)
  const { phone, previous_phone, waiting, sender_code } = sender
  if (previous_phone === null || phone === null) return null
  return (
    <Alert
      color="yellow"
      role="alert"
      icon={<IconDeviceMobileQuestion size={20} />}
      title={t('senders.otherPhone.title', { phone: formatPhone(phone), before: formatPhone(previous_phone) })}
    >
      <Stack gap="sm">
        <Text size="sm">{t('senders.otherPhone.waits', { count: waiting })}</Text>
        <Group gap="sm">
          <BusyButton size="xs" busy={action.isPending} onClick={() => action.mutate('confirm-phone')}>
            {t('senders.otherPhone.use', { phone: formatPhone(phone) })}
          </BusyButton>
          <Button size="xs" variant="default" component={Link} href={`/senders/${sender_code}/link`}>
            {t('senders.otherPhone.wrong')}
          </Button>
        </Group>
        {action.error === null ? null : <ErrorState error={action.error} />}
      </Stack>
    </Alert>
  )
}
