import { z } from 'zod'

/** GET /health: no key needed, no secret in it. */
export const health = z.object({
  success: z.boolean(),
  message: z.string(),
  data: z.object({
    status: z.enum(['ready', 'not_ready']),
    version: z.string(),
    uptime_seconds: z.number(),
    reasons: z.array(z.string()).describe('Why it is not ready.'),
    warnings: z.array(z.string()).describe('What works, but needs the owner.'),
    senders: z.record(z.string(), z.number()).describe('How many senders are in which state.'),
    waiting: z.number().int(),
    callbacks_pending: z.number().int(),
    callbacks_dead: z.number().int(),
  }),
})
export type Health = z.infer<typeof health>
