import { z } from 'zod'
import { concern, concernCount } from './concerns.ts'
import { answer, isoTime } from './envelope.ts'

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

/** A program that shares the database with others. */
export const node = z.object({
  name: z.string(),
  url: z.string().nullable().describe('Where the other nodes reach it.'),
  version: z.string(),
  started_at: isoTime,
  seen_at: isoTime,
  alive: z.boolean().describe('It was heard of within 15 seconds.'),
  this: z.boolean().describe('The node that answers.'),
  senders: z.int().describe('Senders that it holds.'),
  taken_over: z.int().describe('Senders that it took over from nodes that were gone, since it started.'),
  fenced: z.int().describe('Writes of its that were refused because the sender had moved on, since it started.'),
})
export type NodeView = z.infer<typeof node>
export const nodeParams = z.object({ name: z.string().describe('As the list has it.') })
export const nodesAnswer = answer(z.array(node))
