import { createContext, useCallback, useContext, useLayoutEffect, useRef } from 'react'

/** Data that leaving loses: unsaved fields, an unsent message, or a secret shown only once. */
export type Loss = 'unsaved' | 'unsent' | 'secret'

export interface LeaveGuard {
  /** Makes leaving ask the owner first, until the returned function is called. */
  hold: (loss: Loss) => () => void
}

export const LeaveGuardContext = createContext<LeaveGuard>({ hold: () => () => undefined })

/**
 * While `active`, leaving this place (another page or drawer, closing, reload, back) asks first.
 * Returns a function that ends this at once, for leaving on purpose, such as after saving.
 */
export function useLeaveGuard(active: boolean, loss: Loss): () => void {
  const { hold } = useContext(LeaveGuardContext)
  const release = useRef<() => void>(undefined)

  // A layout effect, because the next key after the first paint may already close the place.
  useLayoutEffect(() => {
    if (!active) return
    release.current = hold(loss)
    return () => release.current?.()
  }, [active, loss, hold])

  return useCallback(() => release.current?.(), [])
}
