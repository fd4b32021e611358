import { z } from 'zod'
import { messageRow } from './messages.ts'

/**
 * GET /api/events: what happens, as it happens (server-sent events). `message` carries the row as
 * it is now; the others only say what to read again. The stream's ids let a window go on where it
 * lost the connection.
 */
export const liveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), data: messageRow }),
  z.object({ type: z.literal('sender'), data: z.object({ sender_code: z.string() }) }),
  z.object({ type: z.literal('webhook'), data: z.object({ webhook_id: z.string() }) }),
  z.object({ type: z.literal('settings'), data: z.object({}) }),
])
export type LiveEvent = z.infer<typeof liveEvent>
