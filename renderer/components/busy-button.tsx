import { Button, type ButtonProps, Loader } from '@mantine/core'
import type { MouseEvent, MouseEventHandler, ReactNode } from 'react'
import classes from './busy-button.module.css'

interface BusyButtonProps extends Omit<ButtonProps, 'loading' | 'classNames'> {
  /** True while the action runs. Another click then does nothing. */
  busy: boolean
  children: ReactNode
  type?: 'submit'
  onClick?: MouseEventHandler<HTMLButtonElement>
  'aria-describedby'?: string
}

/** A button for a slow action. Unlike a disabled button it keeps the focus meanwhile. */
export function BusyButton({ busy, children, onClick, ...props }: BusyButtonProps) {
  function click(event: MouseEvent<HTMLButtonElement>) {
    // The second click of a double click may come before `busy` is set.
    if (busy || event.detail > 1) event.preventDefault()
    else onClick?.(event)
  }

  return (
    <Button {...props} aria-busy={busy} className={classes.button ?? ''} onClick={click}>
      {busy ? <Loader className={classes.loader ?? ''} size={16} color="currentColor" aria-hidden="true" /> : null}
      <span className={classes.label}>{children}</span>
    </Button>
  )
}
