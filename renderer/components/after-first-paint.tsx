import { type ReactNode, Suspense } from 'react'
import { useAfterFirstPaint } from '../hooks/use-after-first-paint.ts'

interface AfterFirstPaintProps {
  fallback?: ReactNode
  children: ReactNode
}

/** Parts that load after the first paint. Shows `fallback` until they are there. */
export function AfterFirstPaint({ fallback = null, children }: AfterFirstPaintProps) {
  return useAfterFirstPaint() ? <Suspense fallback={fallback}>{children}</Suspense> : fallback
}
