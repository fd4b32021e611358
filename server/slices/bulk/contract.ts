import { z } from 'zod'
import { answer, isoTime } from '../../contract/fields.ts'
import { messageFilters } from '../../contract/messages.ts'
import { senderCode } from '../../contract/send.ts'

export const BULK_ACTIONS = ['cancel', 'send_again', 'move'] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

export const BULK_MAX = 20_000
/** Time in which the owner may undo an action, in milliseconds. */
export const UNDO_WITHIN = 10_000

/** POST /api/bulk. Messages that do not fit the action are left out. */
export const bulkRequest = z
  .object({
    action: z.enum(BULK_ACTIONS),
    to: senderCode
      .describe(
        'For `move`: code of the sender to which the messages are moved. It must be of the same kind. Messages to groups are not moved.',
      )
      .optional(),
    ids: z.array(z.string().max(64)).min(1).max(500).optional(),
    // Strict: ignoring a misspelt filter would apply the action to everything.
    filter: messageFilters.strict().optional(),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    message: 'needs either ids or filter',
    path: ['filter'],
  })
  .refine(({ action, to }) => (action === 'move') === (to !== undefined), {
    message: 'is needed for move, and for nothing else',
    path: ['to'],
  })
export type BulkRequest = z.infer<typeof bulkRequest>

export const bulkView = z.object({
  id: z.string(),
  action: z.enum(BULK_ACTIONS),
  count: z
    .number()
    .int()
    .describe('Number of messages to which the action applies. 0: no message matches, and there is nothing to undo.'),
  more: z
    .boolean()
    .describe(
      `True: further messages match, because an action is limited to ${BULK_MAX} messages and to the free places in the queue of the new sender. Repeat the request afterwards.`,
    ),
  runs_at: isoTime.describe(
    'Time when the action starts. Until then it can be undone, and messages to be cancelled or moved are held back.',
  ),
})
export type BulkView = z.infer<typeof bulkView>
export const bulkAnswer = answer(bulkView)

/** DELETE /api/bulk/{id} */
export const undoneAnswer = answer(z.object({ undone: z.number().int() }))
