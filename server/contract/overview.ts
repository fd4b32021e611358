import { z } from 'zod'
import { concern } from './concerns.ts'
import { answer } from './envelope.ts'

const figures = z.object({
  today: z.object({ accepted: z.number(), sent: z.number(), failed: z.number(), waiting: z.number() }),
  days: z
    .array(
      z.object({ day: z.iso.date(), sent: z.number(), delivered: z.number(), read: z.number(), failed: z.number() }),
    )
    .describe('Local days, oldest first.'),
  callbacks: z.object({ pending: z.number(), dead: z.number() }),
  database_bytes: z.number(),
})
export type Figures = z.infer<typeof figures>

/** Data of the first page, in one answer, without the sandbox. */
export const overviewData = z.object({
  concerns: z.array(concern).describe('What needs the owner, the most harmful first.'),
  figures: figures.nullable().describe('Null while the database cannot be read.'),
  free_bytes: z.number().nullable(),
  version: z.string(),
})
export type Overview = z.infer<typeof overviewData>

/** GET /api/overview */
export const overview = answer(overviewData)
