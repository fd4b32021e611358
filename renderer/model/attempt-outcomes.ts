import { z } from 'zod'

/** How an attempt to send may end. */
export const ATTEMPT_OUTCOMES = ['acknowledged', 'refused', 'unknown', 'not_sent', 'offline'] as const
export const attemptOutcome = z.enum(ATTEMPT_OUTCOMES)
export type AttemptOutcome = z.infer<typeof attemptOutcome>
