import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useDeleteSender, useSenderAction } from '../../api/senders.ts'
import { ConfirmTyped } from '../../components/confirm-typed.tsx'

interface SenderDangerProps {
  sender: SenderView
}

/** The buttons "unlink" and "delete". Each asks for the sender's name to be typed. */
export const SenderDanger = ({ sender }: SenderDangerProps) => (
  <Group gap="sm">
    {sender.kind === 'linked' && !['unlinked', 'logged_out', 'linking'].includes(sender.state) ? (
      <Unlink sender={sender} />
    ) : null}
    <Delete sender={sender} />
  </Group>
)

function Unlink({ sender: { sender_code, name } }: { sender: SenderView }) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState(false)
  const action = useSenderAction(sender_code)
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t('senders.unlink')}
      </Button>
      <ConfirmTyped
        opened={asking}
        title={t('senders.danger.unlinkTitle', { name })}
        losses={[t('senders.danger.unlinkLoss'), t('senders.danger.unlinkWaits')]}
        word={name}
        confirmLabel={t('senders.unlink')}
        pending={action.isPending}
        error={action.error}
        onConfirm={() => action.mutate('unlink', { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

function Delete({ sender: { sender_code, name, kind, waiting } }: SenderDangerProps) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState(false)
  const remove = useDeleteSender(sender_code)
  return (
    <>
      <Button size="xs" variant="outline" color="red" onClick={() => setAsking(true)}>
        {t('senders.danger.deleteButton')}
      </Button>
      <ConfirmTyped
        opened={asking}
        title={t('senders.danger.deleteTitle', { name })}
        losses={[
          ...(waiting > 0 ? [t('senders.danger.deleteWaiting', { count: waiting })] : []),
          ...(kind === 'linked' ? [t('senders.danger.deleteLink')] : []),
          t('senders.danger.deleteKeys'),
          t('senders.danger.deleteKeepsLog'),
        ]}
        word={name}
        confirmLabel={t('senders.danger.deleteButton')}
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
