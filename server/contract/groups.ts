import { z } from 'zod'
import { answer } from './fields.ts'

/** WhatsApp allows 100 characters (whatsapp-rust, iq/groups.rs), each of up to four bytes. */
const LONGEST_GROUP_NAME = 400

/** A group as callers name it. A name can be looked up only once the sender is known. */
export const groupInput = z
  .string()
  .min(1)
  .max(LONGEST_GROUP_NAME)
  .meta({
    description:
      'In place of `phone`: the id of a group that the sender is in, or its exact name where it is the only one of that name. Ids: `GET /senders/{code}/groups`.',
    examples: ['120363040000000000@g.us'],
  })

export const groupView = z.object({
  group: z.string().describe('Its id, which stays the same when the group is renamed.'),
  name: z.string(),
  members: z.number().int().describe('People in it, this sender among them.'),
  can_send: z.boolean().describe('False where only admins write and this sender is none, or it is too large.'),
})
export type GroupView = z.infer<typeof groupView>

export const groupsAnswer = answer(z.array(groupView))

/** Counts of the receipts that members of a group sent for one message. */
export const receiptsView = z.object({
  delivered: z.number().int().describe('Members on whose phone it is.'),
  read: z.number().int().describe('Members who have read it, as far as they let that be seen.'),
  members: z.number().int().describe('Members it was written to, this sender not among them.'),
})
export type ReceiptsView = z.infer<typeof receiptsView>
