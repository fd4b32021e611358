import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../../server/contract/senders.ts'
import {
  TALLY_KINDS,
  type TableAction,
  type TableView,
  UNDO_WITHIN,
} from '../../../../server/slices/tables/contract.ts'
import { download } from '../../../api/download.ts'
import { useTableAction } from '../../../api/tables.ts'
import { BusyButton } from '../../../components/busy-button.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Panel } from '../../../components/panel.tsx'
import { ChatText } from '../../../components/phone/chat-text.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { useFormat } from '../../../hooks/use-format.ts'
import { useHeldText } from '../../../hooks/use-held-text.ts'
import { useNow } from '../../../hooks/use-now.ts'
import { useTellError } from '../../../hooks/use-tell-error.ts'
import { NotReady } from './not-ready.tsx'
import { ResultRows } from './result-rows.tsx'
import { RowKind } from './row-kind.tsx'
import classes from './table.module.css'

interface TableProgressProps {
  table: TableView
  /** Undefined: the sender was deleted. */
  sender: SenderView | undefined
}

/** A table that is being sent: its progress, its actions, and its rows. */
export function TableProgress({ table, sender }: TableProgressProps) {
  const { t } = useTranslation()
  const { id, name, plan, planned_at } = table
  const save = useMutation({
    mutationFn: () =>
      download(`/api/tables/${id}/results.csv`, { name: `kurir-${(name || 'table').replace(/\.[^.]*$/, '')}.csv` }),
  })
  return (
    <Stack gap="lg" maw={960} mx={0}>
      <Panel title={t(`tables.state.${table.state}`)}>
        <Stack>
          <HowFar table={table} sender={sender} />
          <Counts counts={table.counts} />
          <Actions table={table} />
        </Stack>
      </Panel>
      <Panel title={t('tables.what')}>
        <Facts
          facts={[
            [t('write.sender'), sender?.name ?? table.sender_code],
            [t('write.message'), plan === null ? null : <ChatText key="message" text={plan.message} />],
            [t('tables.begun'), planned_at === null ? null : <TimeAgo key="begun" at={planned_at} />],
          ]}
        />
      </Panel>
      <Panel
        title={t('tables.results')}
        aside={
          <BusyButton
            variant="default"
            leftSection={<IconDownload size={16} />}
            busy={save.isPending}
            onClick={() => save.mutate()}
          >
            {t('tables.download')}
          </BusyButton>
        }
      >
        {save.error === null ? null : <ErrorState error={save.error} />}
        <ResultRows table={table} />
      </Panel>
    </Stack>
  )
}

/** Says how far a table is, and when its last message leaves. */
function HowFar({ table, sender }: TableProgressProps) {
  const { t } = useTranslation()
  const { state, rows, counts, ends_at } = table
  const all = rows - (counts.refused ?? 0)
  const { waiting = 0, stopped = 0, queued = 0, sending = 0 } = counts
  const left = waiting + stopped + queued + sending
  if (state === 'planned') return <Undo table={table} count={all} />
  if (state === 'done' || state === 'draft') return null
  return (
    <>
      <Text role="status">{t(`tables.left.${state}`, { count: state === 'sending' ? left : waiting, all })}</Text>
      <Progress value={all === 0 ? 100 : (100 * (all - left)) / all} aria-label={t('tables.progress')} />
      {state === 'sending' ? <End endsAt={ends_at} sender={sender} /> : null}
      {state === 'sending' || queued + sending === 0 ? null : (
        <Text size="sm">{t('tables.stillQueued', { count: queued + sending })}</Text>
      )}
    </>
  )
}

/** Says when the last message leaves, which is known only while the sender is connected. */
function End({ endsAt, sender }: { endsAt: string | null; sender: SenderView | undefined }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useNow(10_000)
  if (sender === undefined) return <Text size="sm">{t('tables.noSender')}</Text>
  if (sender.state !== 'connected') return <NotReady sender={sender} />
  return (
    <>
      {endsAt === null ? null : <Text>{t('tables.ends', { when: format.until(endsAt, now) })}</Text>}
      <Held sender={sender} />
    </>
  )
}

function Held({ sender }: { sender: SenderView }) {
  const text = useHeldText(sender)
  return text === null ? null : (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  )
}

function Undo({ table: { id, planned_at }, count }: { table: TableView; count: number }) {
  const { t } = useTranslation()
  const now = useNow(500)
  const act = useTableAction(id)
  const tellError = useTellError()
  // Limited to UNDO_WITHIN, because the clocks of this browser and the PC may differ.
  const ends = Date.parse(planned_at ?? '') + UNDO_WITHIN
  const left = Math.min(Math.max(Math.ceil((ends - now) / 1_000), 0), UNDO_WITHIN / 1_000)
  return (
    <Group gap="sm">
      <Text>{t('tables.leaveIn', { count, left: String(left) })}</Text>
      {/* mutateAsync: this button may be unmounted when the server says that it is too late. */}
      <BusyButton busy={act.isPending} onClick={() => void act.mutateAsync('undo').catch(tellError)}>
        {t('tables.undo')}
      </BusyButton>
    </Group>
  )
}

function Counts({ counts }: Pick<TableView, 'counts'>) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <ul className={classes.counts} aria-label={t('tables.counts')}>
      {TALLY_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).map((kind) => (
        <li key={kind}>
          <RowKind kind={kind} />
          <Text component="span" fw={600}>
            {format.number(counts[kind] ?? 0)}
          </Text>
        </li>
      ))}
    </ul>
  )
}

/** Actions of each state. `cancel` cannot be undone, so the table must be paused before. */
const POSSIBLE: Partial<Record<TableView['state'], TableAction[]>> = {
  sending: ['pause', 'send_again'],
  paused: ['resume', 'cancel', 'send_again'],
  done: ['send_again'],
}

function Actions({ table }: { table: TableView }) {
  const { t } = useTranslation()
  const act = useTableAction(table.id)
  const failed = table.counts.failed ?? 0
  const possible = (POSSIBLE[table.state] ?? []).filter((action) => action !== 'send_again' || failed > 0)

  function begin(action: TableAction) {
    act.mutate(action, {
      onSuccess: ({ counts }) => {
        if (action !== 'send_again') return
        const again = failed - (counts.failed ?? 0)
        notifications.show({ message: again > 0 ? t('tables.again', { count: again }) : t('tables.noneAgain') })
      },
    })
  }

  return (
    <>
      {possible.length === 0 ? null : (
        <Group gap="sm">
          {possible.map((action) => (
            <Button
              key={action}
              variant={action === 'resume' ? 'filled' : 'default'}
              aria-busy={act.isPending}
              onClick={() => (act.isPending ? undefined : begin(action))}
            >
              {t(`tables.act.${action}`)}
            </Button>
          ))}
        </Group>
      )}
      {table.state === 'paused' ? (
        <Text size="sm" c="dimmed">
          {t('tables.cancelHint')}
        </Text>
      ) : null}
      {act.error === null ? null : <ErrorState error={act.error} />}
    </>
  )
}
