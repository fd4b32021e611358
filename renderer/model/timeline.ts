import {
  type Attempt,
  type AttemptOutcome,
  type MessageDetail,
  type Status,
  status,
} from '../../server/contract/messages.ts'

/** A line of a message's history. `after`: milliseconds since the previous line. */
export type TimelineLine = { at: string; after: number } & (
  | { kind: 'received' }
  | { kind: 'status'; status: Status; detail: string | null }
  | { kind: 'attempt'; number: number; outcome: AttemptOutcome | null; reason: string | null }
)

/** Returns the history of a message, with the outcome of each attempt. */
export function timelineOf({ timeline, attempt_log }: Pick<MessageDetail, 'timeline' | 'attempt_log'>): TimelineLine[] {
  const attempts = [...attempt_log]
  return timeline.flatMap(({ type, at, detail }, index): TimelineLine[] => {
    // Meta reports whole seconds, so a line may seem earlier than the one before it.
    const after = Math.max(0, Date.parse(at) - Date.parse(timeline[index - 1]?.at ?? at))
    if (type === 'queued') return [{ kind: 'received', at, after }]
    if (type === 'attempt') {
      const attempt = attempts.shift()
      return attempt === undefined ? [] : [attemptLine(attempt, after)]
    }
    const known = status.safeParse(type)
    return known.success ? [{ kind: 'status', status: known.data, at, after, detail }] : []
  })
}

/** Milliseconds. Our own limit: longer than the pauses between messages, which need no remark. */
const LATE = 15 * 60_000

/** Returns when a message left, if late because the PC or the number was off. Null: not late. */
export function leftLateAt({ due_at, attempt_log }: Pick<MessageDetail, 'due_at' | 'attempt_log'>): string | null {
  const at = attempt_log.find(({ outcome }) => outcome === 'acknowledged')?.at
  return at !== undefined && Date.parse(at) - Date.parse(due_at) >= LATE ? at : null
}

const attemptLine = ({ number, at, outcome, reason }: Attempt, after: number): TimelineLine => ({
  kind: 'attempt',
  number,
  at,
  after,
  outcome,
  reason,
})
