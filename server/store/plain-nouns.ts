import { createContacts } from './contacts.ts'
import { createGroups } from './groups.ts'
import { createIdempotency } from './idempotency.ts'
import { createKeys } from './keys.ts'
import { createLinkedFacts } from './linked-facts.ts'
import { createMarketingHolds } from './marketing-holds.ts'
import { createOwnerSessions } from './owner-sessions.ts'
import { createRefusedCalls } from './refused-calls.ts'
import { createSavedTexts } from './saved-texts.ts'
import { createSettings } from './settings.ts'
import type { Statements } from './statements.ts'
import type { Store } from './store.ts'

/** Nouns whose statements are the same in both engines. */
export const createPlainNouns = (statements: Statements) =>
  ({
    contacts: createContacts(statements),
    groups: createGroups(statements),
    idempotency: createIdempotency(statements),
    keys: createKeys(statements),
    linkedFacts: createLinkedFacts(statements),
    marketingHolds: createMarketingHolds(statements),
    ownerSessions: createOwnerSessions(statements),
    refusedCalls: createRefusedCalls(statements),
    savedTexts: createSavedTexts(statements),
    settings: createSettings(statements),
  }) satisfies Partial<Store>
