import { IconDeviceMobile, IconFlask, IconRosetteDiscountCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { SenderKind, SenderView } from '../../server/contract/senders.ts'
import { useSender } from '../api/senders.ts'
import { StatusBadge } from './status-badge.tsx'

const ICONS = { linked: IconDeviceMobile, official: IconRosetteDiscountCheck, sandbox: IconFlask }

interface KindIconProps {
  kind: SenderKind
  size?: number
}

export function KindIcon({ kind, size = 18 }: KindIconProps) {
  const { t } = useTranslation()
  const Icon = ICONS[kind]
  return <Icon size={size} stroke={1.75} style={{ flex: 'none' }} role="img" aria-label={t(`states.kind.${kind}`)} />
}

/** A sender's kind and name. Shows only the code if the sender was deleted. */
export const SenderBadge = ({ code }: { code: string }) => <SenderName code={code} sender={useSender(code).data} />

/** SenderBadge for long lists, where the list looks up the senders once for all rows. */
export const SenderName = ({ code, sender }: { code: string; sender: SenderView | undefined }) =>
  sender === undefined ? (
    code
  ) : (
    <span title={`${sender.name} (${code})`}>
      <StatusBadge look={{ icon: ICONS[sender.kind], tone: 'wait' }} label={sender.name} />
    </span>
  )
