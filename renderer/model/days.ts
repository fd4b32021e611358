import type { Figures } from '../api/overview.ts'

export type Day = Figures['days'][number]

/** Adds up the days. `readShare`: share of the sent messages that were read, 0 to 1. */
export function daysSummary(days: readonly Day[]): { sent: number; readShare: number; failed: number } {
  const sum = (name: 'sent' | 'read' | 'failed') => days.reduce((total, day) => total + day[name], 0)
  const sent = sum('sent')
  return { sent, failed: sum('failed'), readShare: sent === 0 ? 0 : Math.min(sum('read') / sent, 1) }
}

/** Returns the messages of a full bar: the largest day's, at least 4 so that 1 looks small. */
export const scaleOf = (days: readonly Day[]): number => Math.max(4, ...days.map(({ sent, failed }) => sent + failed))
