import { z } from 'zod'
import { concern, concernCount } from './concerns.ts'
import { answer, isoTime, shaped } from './fields.ts'

const count = z.number().int()
const countOrNull = count.nullable()

/** GET /health. Needs no key and contains no secret. */
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
    waiting: countOrNull.describe(
      'Messages that wait, without those of the sandbox. Null, as the next two, for the same reason.',
    ),
    callbacks_pending: countOrNull,
    callbacks_dead: countOrNull,
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

/** Data of the window's first page, in one answer, without the sandbox. */
export const overviewData = z.object({
  concerns: z.array(concern).describe('What needs the owner, the most harmful first.'),
  figures: figures.nullable().describe('Null while the database cannot be read.'),
  free_bytes: z.number().nullable(),
  version: z.string(),
})
export type Overview = z.infer<typeof overviewData>

/** GET /api/overview */
export const overview = answer(overviewData)

/** A Kurir process that shares its database with other nodes. */
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

/**
 * GET /api/diagnostics: a file for the person who helps the owner. Contains no secret, number,
 * name or text.
 */
export const diagnostics = z.object({
  made_at: isoTime,
  version: z.string(),
  uptime_seconds: count,
  runtime: z.record(z.string(), z.string().optional()),
  platform: z.string(),
  memory: z.object({ total_bytes: count, used_by_kurir_bytes: count }),
  disk: z.object({ database_bytes: count, free_bytes: count.nullable() }),
  database_versions: z.record(z.string(), count),
  settings: z.record(z.string(), z.unknown()),
  concerns: z.array(concernCount),
  senders: z.array(
    z.object({
      sender_code: z.string(),
      kind: z.string(),
      state: z.string(),
      reason: z.string().nullable(),
      since: isoTime,
      waiting: count,
    }),
  ),
  webhooks: z.array(
    z.object({
      webhook_id: z.string(),
      enabled: z.boolean(),
      disabled_reason: z.string().nullable(),
      last_error: z.string().nullable(),
    }),
  ),
  callbacks: z.array(z.object({ webhook_id: z.string(), state: z.string(), count })),
  meta_fields_ignored: z
    .array(z.object({ field: z.string(), count }))
    .describe('What Meta called back with, since the start, that nothing is done about: names only.'),
  log: z.array(z.string()).describe('The last lines, without numbers and keys.'),
})
export type Diagnostics = z.infer<typeof diagnostics>

const position = shaped(/^[\w-]{1,64}\.\d{1,15}$/, '7d0f3c9e-6a7b-4f0e-9a55-0c5f0d1e2b3a.1204')

export const logQuery = z.object({
  after: position
    .describe('`position` of the answer before: only what was written since. Left out: the last lines.')
    .optional(),
})

/** GET /api/log */
export const logAnswer = answer(
  z.object({
    lines: z.array(z.string()).describe('Oldest first, without numbers and keys. After a restart all lines since it.'),
    position,
    lost: count.describe('Lines since `after` that are not remembered any more.'),
  }),
)
