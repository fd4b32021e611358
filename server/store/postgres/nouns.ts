import { createSuppressionList } from '../contacts.ts'
import { createMessageTally, MESSAGE } from '../message-reads.ts'
import { createPlainNouns } from '../store.ts'
import { createSuppressions } from './contacts.ts'
import { addingReplies, createEvents } from './events.ts'
import { readingFigures } from './figures.ts'
import { createSessions } from './linked.ts'
import { createLaneReads, createMessageList, messageBy } from './message-reads.ts'

import { createMessageWrites, updateSendingState } from './messages.ts'
import type { NodeStore, SharedStore } from './nodes.ts'
import { applyingInbox, createOfficialFacts, createTemplates } from './official.ts'
import { createRetention } from './retention.ts'
import { createSearch } from './search.ts'
import { changingSenders } from './senders.ts'
import { type Context, createStatements } from './sql.ts'
import { removingUploads } from './uploads.ts'
import { changingEndpoints, createDeliverySteps } from './webhooks.ts'

/** The nouns of the store, and their changes that only the node makes which holds the sender. */
export function createNouns(context: Context) {
  const { db, write, fence } = context
  const statements = createStatements(context)
  const { whole, parts } = createPlainNouns(statements)
  const search = createSearch(context)
  const { endpoints, senders } = parts
  const events = createEvents(context, endpoints.reads.list)
  const writes = createMessageWrites(context, events, senders)
  const senderWrites = changingSenders(context, events, senders)
  const nouns = {
    ...whole,
    messages: {
      ...parts.messages,
      ...createMessageTally(statements),
      ...createMessageList(db, search),
      ...writes.messages,
      find: (ref) => db.one(MESSAGE, ...messageBy(ref)),
    },
    queues: { ...parts.queues, ...createLaneReads(db), ...writes.queues },
    events: { ...parts.events, ...events },
    deliveries: { ...parts.deliveries, ...createDeliverySteps(context) },
    endpoints: { ...endpoints.reads, ...changingEndpoints(context, endpoints) },
    senders: { ...senders.reads, ...senderWrites },
    sendingState: {
      ...parts.sendingState,
      change: (senderId, next) =>
        write(async (tx) => {
          fence(tx, senderId)
          await updateSendingState(tx, senderId, next)
        }),
    },
    uploads: { ...parts.uploads, ...removingUploads(context) },
    suppressions: {
      ...createSuppressionList(statements),
      ...createSuppressions(context, events),
    },
    replies: { ...parts.replies, add: addingReplies(context, events) },
    meta: parts.meta.meta,
    inbox: { ...parts.inbox, ...applyingInbox(context) },
    templates: createTemplates(context),
    officialFacts: createOfficialFacts(context),
    figures: { ...parts.figures, of: readingFigures(context) },
    search,
    retention: { ...parts.retention, ...createRetention(context, senders.isSandbox) },
    sessions: createSessions(context),
  } satisfies Partial<SharedStore>
  const fenced: NodeStore['fenced'] = {
    changeMessage: (ref, decide, urgency) => writes.messages.change(ref, decide, urgency, true),
    changeSender: (id, decide) => senderWrites.change(id, decide, true),
  }
  return { nouns, fenced, statements }
}
