import { z } from 'zod'
import { answer } from './envelope.ts'

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

/** GET /api/overview: what the first page needs, in one answer. Days are local, oldest first. */
export const overview = answer(
  z.object({
    today: z.object({ accepted: z.number(), sent: z.number(), failed: z.number(), waiting: z.number() }),
    days: z.array(
      z.object({ day: z.iso.date(), sent: z.number(), delivered: z.number(), read: z.number(), failed: z.number() }),
    ),
    callbacks: z.object({ pending: z.number(), dead: z.number() }),
    disk: z.object({ database_bytes: z.number(), free_bytes: z.number().nullable() }),
    version: z.string(),
  }),
)
