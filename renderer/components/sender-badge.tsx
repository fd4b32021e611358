import { IconDeviceMobile, IconFlask, IconRosetteDiscountCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { SenderKind } from '../../server/contract/senders.ts'
import { useSenders } from '../api/senders.ts'
import classes from './status.module.css'

const ICON = { linked: IconDeviceMobile, official: IconRosetteDiscountCheck, sandbox: IconFlask }

interface KindIconProps {
  kind: SenderKind
  size?: number
}

export function KindIcon({ kind, size = 18 }: KindIconProps) {
  const { t } = useTranslation()
  const Icon = ICON[kind]
  return <Icon size={size} stroke={1.75} style={{ flex: 'none' }} role="img" aria-label={t(`states.kind.${kind}`)} />
}

/** A sender in a list: its kind and name; the code alone when it was deleted. */
export function SenderBadge({ code }: { code: string }) {
  const sender = useSenders().data?.find((one) => one.sender_code === code)
  return (
    <span
      className={`${classes.status} ${classes.short}`}
      title={sender === undefined ? code : `${sender.name} (${code})`}
    >
      {sender === undefined ? null : <KindIcon kind={sender.kind} size={16} />}
      <span>{sender?.name ?? code}</span>
    </span>
  )
}
