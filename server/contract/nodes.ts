import { z } from 'zod'
import { answer, isoTime } from './envelope.ts'

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
