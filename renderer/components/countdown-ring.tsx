import { useState } from 'react'
import { useNow } from '../hooks/use-now.ts'

const RADIUS = 9
const AROUND = 2 * Math.PI * RADIUS

interface CountdownRingProps {
  /** ISO time at which the ring is empty. */
  until: string
  /** Returns the text beside the ring for the seconds that are left. */
  text: (seconds: number) => string
}

/**
 * A ring that empties until a time. It is full when it is mounted, so give it a key that changes
 * with each countdown.
 */
export function CountdownRing({ until, text }: CountdownRingProps) {
  const end = Date.parse(until)
  const now = useNow(500)
  const [whole] = useState(() => Math.max(end - Date.now(), 1))
  const left = Math.max(end - now, 0)
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 8 }}>
      <svg width={24} height={24} viewBox="0 0 24 24" aria-hidden="true" style={{ transform: 'rotate(-90deg)' }}>
        <circle cx={12} cy={12} r={RADIUS} fill="none" stroke="var(--line)" strokeWidth={3} />
        <circle
          cx={12}
          cy={12}
          r={RADIUS}
          fill="none"
          stroke="var(--mantine-primary-color-filled)"
          strokeWidth={3}
          strokeDasharray={AROUND}
          strokeDashoffset={AROUND * (1 - Math.min(left / whole, 1))}
          style={{ transition: 'stroke-dashoffset 500ms linear' }}
        />
      </svg>
      {text(Math.ceil(left / 1000))}
    </span>
  )
}
