import { z } from 'zod'
import { concern } from './concerns.ts'
import { answer } from './envelope.ts'

/** What the first page needs, in one answer, without the sandbox. Days are local, oldest first. */
export const overviewData = z.object({
  concerns: z.array(concern).describe('What needs the owner, the most harmful first.'),
  today: z.object({ accepted: z.number(), sent: z.number(), failed: z.number(), waiting: z.number() }),
  days: z.array(
    z.object({ day: z.iso.date(), sent: z.number(), delivered: z.number(), read: z.number(), failed: z.number() }),
  ),
  callbacks: z.object({ pending: z.number(), dead: z.number() }),
  disk: z.object({ database_bytes: z.number(), free_bytes: z.number().nullable() }),
  version: z.string(),
})
export type Overview = z.infer<typeof overviewData>

/** GET /api/overview */
export const overview = answer(overviewData)
