import { Anchor, Group, Select, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useSenders } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { useBeginBulk } from '../../components/message-log/use-begin-bulk.tsx'
import { useMoveTargets } from '../../hooks/use-move-targets.ts'

/** Moves the waiting messages of a number that cannot send to another that can. */
export function MoveWaiting({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<string | null>(null)
  const { begin, isPending } = useBeginBulk()
  const others = useMoveTargets(sender)
  const to = others.find((other) => other.sender_code === chosen) ?? others[0]
  if (to === undefined) return isBanned(sender) ? <NoOther /> : null
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label={t('senders.move.to')}
        data={others.map((other) => ({ value: other.sender_code, label: other.name }))}
        value={to.sender_code}
        allowDeselect={false}
        onChange={setChosen}
        flex={1}
        miw={160}
      />
      <BusyButton
        variant="default"
        busy={isPending}
        onClick={() => begin('move', { sender_code: sender.sender_code, status: 'queued' }, to.sender_code)}
      >
        {t('senders.move.act', { count: sender.waiting })}
      </BusyButton>
    </Group>
  )
}

const isBanned = ({ kind, state, reason }: SenderView): boolean =>
  kind === 'linked' && state === 'restricted' && reason !== 'temporarily_banned'

/** The advice for a banned number if there is no other: it may never work again. */
function NoOther() {
  const { t } = useTranslation()
  const hasOther = useSenders().data?.some(({ kind, state }) => kind === 'linked' && state === 'connected')
  if (hasOther) return null
  return (
    <>
      <Text size="sm">{t('senders.move.none')}</Text>
      <Group gap="md">
        <Anchor component={Link} href="/senders?open=new" size="sm" lh="44px">
          {t('senders.add')}
        </Anchor>
        <Anchor component={Link} href="/help#banned" size="sm" lh="44px">
          {t('senders.move.steps')}
        </Anchor>
      </Group>
    </>
  )
}
