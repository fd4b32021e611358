import { createIdempotency, createKeys, createOwnerSessions } from './access.ts'
import { createContacts, createMarketingHolds } from './contacts.ts'
import { createEventReads, createReplies } from './events.ts'
import { createFigures } from './figures.ts'

import { createGroups, createLinkedFacts } from './linked.ts'
import { createMessageReads, createQueueReads } from './message-reads.ts'
import { createInbox, createOfficialMessages } from './official.ts'

import { forgettingPeople } from './retention.ts'
import { createSendingStateReads, keepSenders } from './senders.ts'
import { createSettings, keepMeta } from './settings.ts'

import type { Statements } from './statements.ts'
import type { Store } from './store.ts'

import { createUploads } from './uploads.ts'
import { createDeliveries, keepEndpoints } from './webhooks.ts'

/**
 * The nouns as far as their statements are the same in both engines: `whole` ones, and `parts` that
 * each engine completes.
 */
export function createPlainNouns(statements: Statements) {
  return {
    whole: {
      contacts: createContacts(statements),
      groups: createGroups(statements),
      idempotency: createIdempotency(statements),
      keys: createKeys(statements),
      linkedFacts: createLinkedFacts(statements),
      marketingHolds: createMarketingHolds(statements),
      officialMessages: createOfficialMessages(statements),
      ownerSessions: createOwnerSessions(statements),
      settings: createSettings(statements),
    } satisfies Partial<Store>,
    parts: {
      deliveries: createDeliveries(statements),
      endpoints: keepEndpoints(statements),
      events: createEventReads(statements),
      figures: createFigures(statements),
      inbox: createInbox(statements),
      messages: createMessageReads(statements),
      queues: createQueueReads(statements),
      meta: keepMeta(statements),
      retention: { forgetPeople: forgettingPeople(statements) },
      replies: createReplies(statements),
      senders: keepSenders(statements),
      sendingState: createSendingStateReads(statements),
      uploads: createUploads(statements),
    },
  }
}
