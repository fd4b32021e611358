import { z } from 'zod'
import { messageRow } from './messages.ts'

/**
 * GET /api/events: live changes as server-sent events. A `message` event carries the current row;
 * the other events only say what to read again. Event ids let a window resume after it lost the
 * connection.
 */
export const liveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), data: messageRow }),
  z.object({ type: z.literal('sender'), data: z.object({ sender_code: z.string() }) }),
  z.object({ type: z.literal('webhook'), data: z.object({ webhook_id: z.string() }) }),
  z.object({ type: z.literal('settings'), data: z.object({}) }),
])
export type LiveEvent = z.infer<typeof liveEvent>
