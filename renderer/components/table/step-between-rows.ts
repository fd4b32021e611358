import type { KeyboardEvent } from 'react'

const STEP: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

/**
 * For links that carry the number of their row as `data-row`: the arrow keys lead to the row below
 * or above.
 */
export function stepBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const link = event.currentTarget
  const place = Number(link.dataset.row) + (STEP[event.key] ?? 0)
  const next = link.closest('table')?.querySelector<HTMLElement>(`[data-row="${place}"]`)
  if (next === null || next === undefined || next === link) return
  event.preventDefault()
  next.focus()
}
