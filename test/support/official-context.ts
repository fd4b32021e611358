import { randomBytes } from 'node:crypto'
import { createAccounts } from '../../server/connections/official/graph/accounts.ts'
import type { OfficialContext } from '../../server/connections/official/graph/context.ts'
import { createGraphClient } from '../../server/connections/official/graph/graph-client.ts'
import { createGraphHttp } from '../../server/connections/official/graph/graph-http.ts'
import { createBackground } from '../../server/lib/background.ts'
import { createBus } from '../../server/lib/bus.ts'
import { systemClock } from '../../server/lib/clock.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { createVault } from '../../server/lib/vault.ts'
import { createRecorder } from '../../server/messages/record.ts'
import type { Store } from '../../server/store/index.ts'

/**
 * Returns a context for official senders on a store, with no server at Meta's address.
 * @param more replaces parts of it
 */
export function officialContext(store: Store, more: Partial<OfficialContext> = {}): OfficialContext {
  const { clock = systemClock, logger = createLogger('silent'), bus = createBus() } = more
  return {
    store,
    accounts: createAccounts({ senders: store.senders, vault: createVault(randomBytes(32)) }),
    client: createGraphClient(createGraphHttp({ url: 'http://127.0.0.1:9', timeoutMs: 1_000, clock }), 'v26.0'),
    record: createRecorder(store.messages, bus),
    customers: { received: async () => undefined, preference: async () => undefined, renamed: async () => undefined },
    publicUrl: () => null,
    background: createBackground({ clock, logger }),
    bus,
    clock,
    logger,
    ...more,
  }
}
