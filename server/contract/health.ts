import { z } from 'zod'
import { concernCount } from './concerns.ts'

/** GET /health: no key needed, no secret in it. */
export const health = z.object({
  success: z.boolean(),
  message: z.string(),
  data: z.object({
    status: z.enum(['ready', 'not_ready']),
    version: z.string(),
    uptime_seconds: z.number(),
    reasons: z.array(z.string()).describe('Why it is not ready.'),
    concerns: z.array(concernCount).describe('What needs the owner, the most harmful first.'),
    senders: z.record(z.string(), z.number()).describe('How many senders are in which state, without the sandbox.'),
    waiting: z.number().int().describe('Messages that wait, without those of the sandbox.'),
    callbacks_pending: z.number().int(),
    callbacks_dead: z.number().int(),
  }),
})
export type Health = z.infer<typeof health>
