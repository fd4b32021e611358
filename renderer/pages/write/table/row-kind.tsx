import { IconAlertCircle, IconBan, IconClock } from '@tabler/icons-react'
import type { TableLineView } from '../../../../server/slices/tables/contract.ts'
import { MessageStatus } from '../../../components/message-status.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { useWords } from '../../../hooks/use-words.ts'

const LOOKS = {
  refused: { icon: IconAlertCircle, tone: 'warn' },
  waiting: { icon: IconClock, tone: 'wait' },
  stopped: { icon: IconBan, tone: 'wait' },
  removed: { icon: IconClock, tone: 'wait' },
} as const

/** The status of a row, as icon and word. */
export function RowKind({ kind }: { kind: TableLineView['status'] }) {
  const words = useWords()
  if (kind === 'refused' || kind === 'waiting' || kind === 'stopped' || kind === 'removed')
    return <StatusBadge look={LOOKS[kind]} label={words.tableKinds[kind]} />
  return <MessageStatus status={kind} />
}
