import { Text } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './settings.module.css'

/** Ids that tie a control to its texts. */
export interface ControlIds {
  id: string
  'aria-labelledby': string
  'aria-describedby': string
}

interface SettingProps {
  label: string
  hint?: string
  /** The control has its own name, such as a button's label. */
  named?: true
  children: (ids: ControlIds) => ReactNode
  /** A part of the setting that needs the whole width. */
  below?: ReactNode
}

/** One setting, with its texts at the left and its control at the right. */
export function Setting({ label, hint, named, children, below }: SettingProps) {
  const id = useId()
  const ids = { id, 'aria-labelledby': `${id}-label`, 'aria-describedby': `${id}-hint` }
  return (
    <div className={classes.setting}>
      <div>
        <Text size="sm" fw={500} id={ids['aria-labelledby']}>
          {named ? label : <label htmlFor={id}>{label}</label>}
        </Text>
        <Text size="sm" c="dimmed" id={ids['aria-describedby']}>
          {hint}
        </Text>
      </div>
      <div className={classes.control}>{children(ids)}</div>
      <div className={classes.below}>{below}</div>
    </div>
  )
}
