import type { Figures } from '../api/overview.ts'

export type Day = Figures['days'][number]

/** All days together. `readShare`: of those sent, between 0 and 1. */
export function daysSummary(days: readonly Day[]): { sent: number; readShare: number; failed: number } {
  const sum = (name: 'sent' | 'read' | 'failed') => days.reduce((total, day) => total + day[name], 0)
  const sent = sum('sent')
  return { sent, failed: sum('failed'), readShare: sent === 0 ? 0 : Math.min(sum('read') / sent, 1) }
}

/**
 * How many messages are the full height of a bar: the largest day, at least a few, so that one
 * message is no tower.
 */
export const scaleOf = (days: readonly Day[]): number => Math.max(4, ...days.map(({ sent, failed }) => sent + failed))
