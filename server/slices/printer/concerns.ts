import type { Concern } from '../../contract/concerns.ts'
import { concern } from '../../health/concerns/concern.ts'

export interface PrinterFacts {
  /** Why it takes nothing; null: it is off, or does. */
  problem: 'port_taken' | 'port_refused' | 'full' | null
  port: number
  /** Prints that wait for the owner, without those that have no number. */
  troubled: number
  since: number | null
}

/** Concerns of the printer port. Pure. */
export function printerConcerns({ problem, port, troubled, since }: PrinterFacts): Concern[] {
  const page = '/prints'
  const found = troubled === 0 || since === null ? [] : [concern('prints_wait', { count: troubled, since, page })]
  if (problem === null) return found
  const code = problem === 'full' ? 'prints_full' : 'printer_closed'
  return [concern(code, { detail: String(port), page }), ...found]
}
