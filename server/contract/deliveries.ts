import { z } from 'zod'
import { answer, isoTime, listAnswer, paging } from './envelope.ts'
import { callbackError, eventName } from './webhooks.ts'

export const deliveryAttempt = z.object({
  at: isoTime,
  status: z.number().int().nullable(),
  error: z.string().nullable(),
  error_code: callbackError.nullable(),
  body: z.string().nullable().describe('The first 2 KiB of the answer.'),
  took_ms: z.number().int(),
})
export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const
export const delivery = z.object({
  id: z.string(),
  webhook_id: z.string(),
  event: eventName,
  message_id: z.string().nullable(),
  state: z.enum(DELIVERY_STATES),
  next_at: isoTime.nullable(),
  created_at: isoTime,
  attempts: z.array(deliveryAttempt),
})
export type Delivery = z.infer<typeof delivery>
export const deliveryDetail = delivery.extend({
  url: z.string(),
  request: z.unknown().describe('The body as it is sent.'),
})

export const deliveryQuery = z.object({
  state: z.enum(DELIVERY_STATES).describe('Only these.').optional(),
  webhook_id: z.string().max(64).describe('Of this webhook.').optional(),
  message_id: z.string().max(64).describe('About this message.').optional(),
  ...paging,
})
/** Limits it to one webhook; left out: all. */
export const deadRequest = z.object({ webhook_id: z.string().max(64).optional() }).default({})

export const deliveryAnswer = answer(deliveryDetail)
export const deliveriesAnswer = listAnswer(delivery)
export const replayedAnswer = answer(z.object({ replayed: z.number().int() }))
export const discardedAnswer = answer(z.object({ discarded: z.number().int() }))
/** Answer of POST /api/webhooks/{id}/deliver-now. */
export const deliverNowAnswer = answer(
  z.object({ hastened: z.number().int().describe('Callbacks that were to be tried later and are tried now.') }),
)
/** Answer of POST /api/webhooks/{id}/test. */
export const testAnswer = answer(
  z.object({ delivery_id: z.string(), webhook_id: z.string(), attempt: deliveryAttempt }),
)
