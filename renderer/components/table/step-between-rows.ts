import type { KeyboardEvent } from 'react'

const STEP: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

/** Lets arrow keys step between rows. Each row's link has the row's index as `data-row`. */
export function stepBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const link = event.currentTarget
  const place = Number(link.dataset.row) + (STEP[event.key] ?? 0)
  const next = link.closest('table')?.querySelector<HTMLElement>(`[data-row="${place}"]`)
  if (next === null || next === undefined || next === link) return
  event.preventDefault()
  next.focus()
}
