import { type ReactNode, Suspense } from 'react'
import { useAfterFirstPaint } from '../hooks/use-after-first-paint.ts'

interface AfterFirstPaintProps {
  fallback?: ReactNode
  children: ReactNode
}

/**
 * Parts that the first paint does without, from the second script; `fallback` until it is there.
 */
export function AfterFirstPaint({ fallback = null, children }: AfterFirstPaintProps) {
  return useAfterFirstPaint() ? <Suspense fallback={fallback}>{children}</Suspense> : fallback
}
