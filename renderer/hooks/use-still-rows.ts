import { useMemo, useState } from 'react'

/**
 * Keeps rows still while they are read. New rows appear only at the top of the list; while it is
 * scrolled down they are counted in `fresh`.
 */
export function useStillRows<Row>(rows: Row[], idOf: (row: Row) => string) {
  const [heldId, setHeldId] = useState<string | null>(null)
  const at = heldId === null ? 0 : rows.findIndex((row) => idOf(row) <= heldId)
  const fresh = Math.max(at, 0)

  function onScroll(top: number) {
    if (top <= 0) setHeldId(null)
    else if (heldId === null && rows[0] !== undefined) setHeldId(idOf(rows[0]))
  }

  const still = useMemo(() => (fresh === 0 ? rows : rows.slice(fresh)), [rows, fresh])
  return { still, fresh, onScroll }
}
