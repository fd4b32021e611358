import { z } from 'zod'
import { concernCount } from './concerns.ts'

const count = z.number().int().nullable()

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
    senders: z
      .record(z.string(), z.number())
      .nullable()
      .describe('How many senders are in which state, without the sandbox. Null while the database cannot be read.'),
    waiting: count.describe(
      'Messages that wait, without those of the sandbox. Null, as the next two, for the same reason.',
    ),
    callbacks_pending: count,
    callbacks_dead: count,
  }),
})
export type Health = z.infer<typeof health>
