import { createContext, useCallback, useContext, useLayoutEffect, useRef } from 'react'

/**
 * Things that leaving loses: fields that are not saved, a message that is not sent, or a secret
 * that is shown only once.
 */
export type Loss = 'unsaved' | 'unsent' | 'secret'

export interface LeaveGuard {
  /** Until the returned function is called, leaving asks the owner first. */
  hold: (loss: Loss) => () => void
}

export const LeaveGuardContext = createContext<LeaveGuard>({ hold: () => () => undefined })

/**
 * While `active`, leaving this place (another page, another drawer, closing, reload, back) asks
 * first. Returns what ends it at once, for a step that leaves on purpose, such as after saving.
 */
export function useLeaveGuard(active: boolean, loss: Loss): () => void {
  const { hold } = useContext(LeaveGuardContext)
  const release = useRef<() => void>(undefined)

  // Before it can be seen: the next key may close it.
  useLayoutEffect(() => {
    if (!active) return
    release.current = hold(loss)
    return () => release.current?.()
  }, [active, loss, hold])

  return useCallback(() => release.current?.(), [])
}
