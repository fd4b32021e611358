import { Button, Group, Modal, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Loss } from '../hooks/leave-guard.ts'

interface LeaveQuestionProps {
  opened: boolean
  loss: Loss
  stay: () => void
  leave: () => void
}

/** Names the loss by leaving, and the two ways on. */
export default function LeaveQuestion({ opened, loss, stay, leave }: LeaveQuestionProps) {
  const { t } = useTranslation()
  const secret = loss === 'secret'
  return (
    <Modal
      opened={opened}
      onClose={stay}
      title={secret ? t('leave.secret') : t('leave.unsaved')}
      centered
      withCloseButton={false}
    >
      <Text size="sm" mb="lg">
        {secret ? t('leave.secretText') : t('leave.unsavedText')}
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={leave}>
          {secret ? t('leave.leaveSecret') : t('leave.discard')}
        </Button>
        <Button data-autofocus onClick={stay}>
          {secret ? t('leave.backToSecret') : t('leave.keepEditing')}
        </Button>
      </Group>
    </Modal>
  )
}
