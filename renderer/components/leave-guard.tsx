import { lazy, type ReactNode, useEffect, useInsertionEffect, useMemo, useRef, useState } from 'react'
import { Router, useLocation, useSearch } from 'wouter'
import { fetched } from '../api/fetched.ts'
import { type LeaveGuard, LeaveGuardContext, type Loss } from '../hooks/leave-guard.ts'
import { placeOf } from '../model/place.ts'
import { AfterFirstPaint } from './after-first-paint.tsx'

const LeaveQuestion = lazy(() => fetched(() => import('./leave-question.tsx')))

interface Question {
  loss: Loss
  leave: () => void
}

/**
 * Asks before leaving a page or a drawer would lose something. Must enclose everything that
 * navigates.
 */
export function LeaveGuardProvider({ children }: { children: ReactNode }) {
  const held = useRef(new Set<{ loss: Loss }>())
  const [question, setQuestion] = useState<Question | null>(null)

  const guard = useMemo<LeaveGuard>(
    () => ({
      hold(loss) {
        const one = { loss }
        held.current.add(one)
        return () => held.current.delete(one)
      },
    }),
    [],
  )

  /** Runs `leave` at once if going to `to` loses nothing, otherwise when the owner agrees. */
  const ask = (to: string, leave: () => void) => {
    const newest = [...held.current].at(-1)
    if (newest === undefined || placeOf(to) === placeOf(location.href)) leave()
    else setQuestion({ loss: newest.loss, leave })
  }

  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if (held.current.size > 0) event.preventDefault()
    }
    window.addEventListener('beforeunload', onUnload)
    return () => window.removeEventListener('beforeunload', onUnload)
  }, [])

  return (
    <LeaveGuardContext value={guard}>
      <Router aroundNav={(navigate, to, options) => ask(to, () => navigate(to, options))}>
        <BackButton mayLeave={() => held.current.size === 0} ask={ask} />
        {children}
        <AfterFirstPaint>
          <LeaveQuestion
            opened={question !== null}
            loss={question?.loss ?? 'unsaved'}
            stay={() => setQuestion(null)}
            leave={() => {
              held.current.clear()
              setQuestion(null)
              question?.leave()
            }}
          />
        </AfterFirstPaint>
      </Router>
    </LeaveGuardContext>
  )
}

interface BackButtonProps {
  mayLeave: () => boolean
  ask: (to: string, leave: () => void) => void
}

/**
 * Asks before the browser's Back. The browser reports it when it has already gone back, so the
 * address is restored first.
 */
function BackButton({ mayLeave, ask }: BackButtonProps) {
  const [path] = useLocation()
  const search = useSearch()
  const here = useRef('')
  const latest = useRef({ mayLeave, ask })

  useEffect(() => {
    here.current = search === '' ? path : `${path}?${search}`
    latest.current = { mayLeave, ask }
  })

  // Must listen before the router, which would draw the other page: the window calls listeners in
  // the order in which they were added.
  useInsertionEffect(() => {
    const onBack = (event: PopStateEvent) => {
      const { mayLeave, ask } = latest.current
      const to = location.href
      if (mayLeave() || placeOf(to) === placeOf(new URL(here.current, location.origin).href)) return
      event.stopImmediatePropagation()
      history.pushState(null, '', here.current)
      ask(to, () => history.back())
    }
    window.addEventListener('popstate', onBack)
    return () => window.removeEventListener('popstate', onBack)
  }, [])

  return null
}
