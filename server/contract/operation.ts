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
    reasons: z.array(z.string()).describe('Reasons why Kurir cannot accept messages. Empty if `status` is `ready`.'),
    concerns: z
      .array(concernCount)
      .describe('Problems and notes for the owner, counted by kind, the most severe first.'),
    senders: z
      .record(z.string(), z.number())
      .nullable()
      .describe(
        'Number of senders in each state, by state, without sandbox senders. Null: the database cannot be read.',
      ),
    waiting: countOrNull.describe(
      'Number of waiting messages, without those of sandbox senders. Null, here and in `callbacks_pending` and `callbacks_dead`: the database cannot be read.',
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
    .describe('Figures per day in the time zone of this PC, the oldest day first.'),
  callbacks: z.object({ pending: z.number(), dead: z.number() }),
  database_bytes: z.number(),
})
export type Figures = z.infer<typeof figures>

/** Data of the window's first page, in one answer, without the sandbox. */
export const overviewData = z.object({
  concerns: z.array(concern).describe('Problems and notes for the owner, the most severe first.'),
  figures: figures.nullable().describe('Figures of today and of recent days. Null: the database cannot be read.'),
  free_bytes: z.number().nullable(),
  version: z.string(),
})
export type Overview = z.infer<typeof overviewData>

/** GET /api/overview */
export const overview = answer(overviewData)

/** A Kurir process that shares its database with other nodes. */
export const node = z.object({
  name: z.string(),
  url: z.string().nullable().describe('URL at which the other nodes reach this node. Null: none.'),
  version: z.string(),
  started_at: isoTime,
  seen_at: isoTime,
  alive: z.boolean().describe('True if this node has reported to the database within the last 15 seconds.'),
  this: z.boolean().describe('True for the node that answers this request.'),
  senders: z.int().describe('Number of senders that this node runs.'),
  taken_over: z.int().describe('Number of senders that this node has taken over from failed nodes since it started.'),
  fenced: z
    .int()
    .describe(
      'Number of database writes of this node, since it started, that were refused because another node had taken over the sender.',
    ),
})
export type NodeView = z.infer<typeof node>
export const nodeParams = z.object({ name: z.string().describe('Value of `name` from the list of nodes.') })
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
    .describe(
      "Fields in Meta's callbacks that Kurir does not process: names and counts since Kurir started, without contents.",
    ),
  log: z.array(z.string()).describe('The newest lines of the log, without phone numbers and keys.'),
})
export type Diagnostics = z.infer<typeof diagnostics>

const position = shaped(/^[\w-]{1,64}\.\d{1,15}$/, '7d0f3c9e-6a7b-4f0e-9a55-0c5f0d1e2b3a.1204')

export const logQuery = z.object({
  after: position
    .describe(
      'Value of `position` from the previous response, to get only lines written since then. Omitted: the newest lines.',
    )
    .optional(),
})

/** GET /api/log */
export const logAnswer = answer(
  z.object({
    lines: z
      .array(z.string())
      .describe(
        'Lines of the log, the oldest first, without phone numbers and keys. If Kurir has restarted since `after`, all lines since the restart.',
      ),
    position,
    lost: count.describe('Number of lines since `after` that are no longer available.'),
  }),
)
