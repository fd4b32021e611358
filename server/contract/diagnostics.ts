import { z } from 'zod'
import { concernCount } from './concerns.ts'
import { answer, isoTime } from './envelope.ts'
import { shaped } from './fields.ts'

const count = z.number().int()

/** GET /api/diagnostics: a file for the person who helps. No secret, number, name or text. */
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
