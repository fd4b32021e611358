import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useDeleteSender, useSenderAction } from '../../api/senders.ts'
import { ConfirmTyped } from '../../components/confirm-typed.tsx'

interface SenderDangerProps {
  sender: SenderView
  onDeleted: () => void
}

/** Unlinking and deleting, each after the sender's name was typed. */
export function SenderDanger({ sender, onDeleted }: SenderDangerProps) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState<'unlink' | 'delete' | null>(null)
  const close = () => setAsking(null)
  const linked = sender.kind === 'linked' && !['unlinked', 'logged_out', 'linking'].includes(sender.state)
  return (
    <Group gap="sm">
      {linked ? (
        <Button size="xs" variant="default" onClick={() => setAsking('unlink')}>
          {t('senders.unlink')}
        </Button>
      ) : null}
      <Button size="xs" variant="outline" color="red" onClick={() => setAsking('delete')}>
        {t('senders.danger.deleteButton')}
      </Button>
      {asking === 'unlink' ? <Unlink sender={sender} onClose={close} /> : null}
      {asking === 'delete' ? <Delete sender={sender} onClose={close} onDeleted={onDeleted} /> : null}
    </Group>
  )
}

function Unlink({ sender, onClose }: { sender: SenderView; onClose: () => void }) {
  const { t } = useTranslation()
  const action = useSenderAction(sender.sender_code)
  return (
    <ConfirmTyped
      title={t('senders.danger.unlinkTitle', { name: sender.name })}
      losses={[t('senders.danger.unlinkLoss'), t('senders.danger.unlinkWaits')]}
      word={sender.name}
      confirmLabel={t('senders.unlink')}
      pending={action.isPending}
      error={action.error}
      onConfirm={() => action.mutate('unlink', { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

interface DeleteProps extends SenderDangerProps {
  onClose: () => void
}

function Delete({ sender, onClose, onDeleted }: DeleteProps) {
  const { t } = useTranslation()
  const remove = useDeleteSender(sender.sender_code)
  return (
    <ConfirmTyped
      title={t('senders.danger.deleteTitle', { name: sender.name })}
      losses={[
        ...(sender.waiting > 0 ? [t('senders.danger.deleteWaiting', { count: sender.waiting })] : []),
        ...(sender.kind === 'linked' ? [t('senders.danger.deleteLink')] : []),
        t('senders.danger.deleteKeys'),
        t('senders.danger.deleteKeepsLog'),
      ]}
      word={sender.name}
      confirmLabel={t('senders.danger.deleteButton')}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
      onClose={onClose}
    />
  )
}
