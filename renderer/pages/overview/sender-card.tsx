import { Progress, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SenderView } from '../../../server/contract/senders.ts'
import { LinkButton } from '../../components/concern-button.tsx'
import { RecoverButton } from '../../components/recover-button.tsx'
import { KindIcon } from '../../components/sender-badge.tsx'
import { SenderState } from '../../components/sender-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useSenderConcern } from '../../hooks/use-concerns.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { useHeldText, useQueueEnd } from '../../hooks/use-held-text.ts'
import { useMoveTargets } from '../../hooks/use-move-targets.ts'
import classes from './overview.module.css'

/** One sender: its state, its waiting messages, and how much of its daily limit is used. */
export function SenderCard({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const held = useHeldText(sender)
  const ends = useQueueEnd(sender)
  const canMove = useMoveTargets(sender).length > 0
  const { sender_code, name, kind, waiting, sent_today, daily_cap, last_sent_at, held_by } = sender
  // Shows only WhatsApp's limits: Kurir itself holds wrong numbers, and other concerns are above.
  const concern = useSenderConcern(sender_code)?.code
  const byWhatsApp = concern === 'reach_out_lock' || concern === 'new_chats_capped'
  const restricted = byWhatsApp ? sender.first_contacts_wait_until : null
  return (
    <article className={classes.card}>
      <div className={classes.head}>
        <Link href={`/senders?open=${sender_code}`} className={classes.name ?? ''}>
          <KindIcon kind={kind} />
          <Text component="span" fw={600} truncate title={name}>
            {name}
          </Text>
        </Link>
        <SenderState sender={sender} />
      </div>
      <dl className={classes.numbers}>
        <div>
          <dt>{t('senders.waiting')}</dt>
          <dd>{format.number(waiting)}</dd>
        </div>
        <div>
          <dt>{t('home.sentToday')}</dt>
          <dd>{format.number(sent_today)}</dd>
        </div>
        <div>
          <dt>{t('home.lastSent')}</dt>
          <dd>
            <TimeAgo at={last_sent_at} />
          </dd>
        </div>
      </dl>
      {daily_cap === null ? null : (
        <div>
          <Progress
            value={Math.min((sent_today / daily_cap) * 100, 100)}
            size="sm"
            color={sent_today < daily_cap ? 'ink' : 'var(--status-warn)'}
            aria-label={t('senders.ofCap', { count: sent_today, cap: daily_cap })}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {t('senders.ofCap', { count: sent_today, cap: daily_cap })}
          </Text>
        </div>
      )}
      {restricted === null ? null : (
        <Text size="xs" c="var(--status-warn)">
          {t('senders.newChatsWait', { when: format.until(restricted, Date.now()) })}
        </Text>
      )}
      {held === null || held_by === 'paused' || held_by === 'not_connected' ? null : (
        <Text size="xs" c="dimmed">
          {held}
        </Text>
      )}
      {ends === null ? null : (
        <Text size="xs" c="dimmed">
          {ends}
        </Text>
      )}
      <div className={classes.action}>
        <RecoverButton sender={sender} />
        {canMove ? (
          <LinkButton
            variant="default"
            href={`/senders?open=${sender_code}`}
            label={t('senders.move.act', { count: waiting })}
          />
        ) : null}
      </div>
    </article>
  )
}
