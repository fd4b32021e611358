import type { IconProps } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import classes from './status-badge.module.css'

export interface StatusLook {
  icon: ComponentType<IconProps>
  tone: 'good' | 'wait' | 'warn' | 'bad' | 'read'
}

interface StatusBadgeProps {
  look: StatusLook
  label: string
  /** Shows only the icon. Hovering and screen readers still give the label. */
  iconOnly?: boolean
}

/** A state as icon and label, so that nobody needs to tell the colours apart. */
export const StatusBadge = ({ look: { icon: Icon, tone }, label, iconOnly = false }: StatusBadgeProps) =>
  iconOnly ? (
    <span className={classes.badge} data-tone={tone} title={label}>
      <Icon size={18} stroke={1.75} role="img" aria-label={label} />
    </span>
  ) : (
    <span className={classes.badge} data-tone={tone}>
      <Icon size={18} stroke={1.75} aria-hidden="true" />
      <span className={classes.label} title={label}>
        {label}
      </span>
    </span>
  )
