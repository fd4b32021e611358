import { Button, Group, Modal, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Loss } from '../hooks/leave-guard.ts'

interface LeaveQuestionProps {
  opened: boolean
  loss: Loss
  stay: () => void
  leave: () => void
}

/** Asks whether to leave, and names what would be lost. */
export default function LeaveQuestion({ opened, loss, stay, leave }: LeaveQuestionProps) {
  const { t } = useTranslation()
  const words = {
    unsaved: { title: t('leave.unsaved'), text: t('leave.unsavedText'), leave: t('leave.discard') },
    unsent: { title: t('leave.unsent'), text: t('leave.unsentText'), leave: t('leave.discardMessage') },
    secret: { title: t('leave.secret'), text: t('leave.secretText'), leave: t('leave.leaveSecret') },
  }[loss]
  return (
    <Modal opened={opened} onClose={stay} title={words.title} centered withCloseButton={false}>
      <Text size="sm" mb="lg">
        {words.text}
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={leave}>
          {words.leave}
        </Button>
        <Button data-autofocus onClick={stay}>
          {loss === 'secret' ? t('leave.backToSecret') : t('leave.keepEditing')}
        </Button>
      </Group>
    </Modal>
  )
}
