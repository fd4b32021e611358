import { IconAlertTriangle, IconInfoCircle, IconPlayerPause } from '@tabler/icons-react'
import type { Weight } from '../../../server/contract/concerns.ts'

const LOOKS = {
  urgent: { Icon: IconAlertTriangle, color: 'var(--status-bad)' },
  warning: { Icon: IconAlertTriangle, color: 'var(--status-warn)' },
  choice: { Icon: IconPlayerPause, color: 'var(--status-wait)' },
  note: { Icon: IconInfoCircle, color: 'var(--mantine-color-dimmed)' },
} as const

/** The icon of a concern. Concerns that the owner chose, such as a pause, are not red or yellow. */
export function ConcernIcon({ weight, size }: { weight: Weight; size: number }) {
  const { Icon, color } = LOOKS[weight]
  return <Icon size={size} stroke={1.75} color={color} aria-hidden="true" />
}
