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
      "Recipient group, instead of `phone`: the group's id, or its exact name if the sender is in only one group of that name. `GET /senders/{code}/groups` lists the ids.",
    examples: ['120363040000000000@g.us'],
  })

export const groupView = z.object({
  group: z.string().describe('Id of the group. It stays the same when the group is renamed.'),
  name: z.string(),
  members: z.number().int().describe('Number of members, including this sender.'),
  can_send: z
    .boolean()
    .describe(
      'False: this sender cannot send to the group, because only admins may write and it is not one, or because the group is too large (more than 1,024 members).',
    ),
})
export type GroupView = z.infer<typeof groupView>

export const groupsAnswer = answer(z.array(groupView))

/** Counts of the receipts that members of a group sent for one message. */
export const receiptsView = z.object({
  delivered: z.number().int().describe('Number of members whose phone has received the message.'),
  read: z
    .number()
    .int()
    .describe('Number of members who have read the message. Members who hide their read receipts are not counted.'),
  members: z.number().int().describe('Number of members to whom the message was sent, without this sender.'),
})
export type ReceiptsView = z.infer<typeof receiptsView>
