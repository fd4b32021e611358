import type { Background } from '../../../lib/background.ts'
import type { Bus } from '../../../lib/bus.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Recorder } from '../../../messages/record.ts'
import type { CustomersPort } from '../../../senders/customers.ts'
import type { Store } from '../../../store/index.ts'
import type { Accounts } from './accounts.ts'
import type { GraphClient } from './graph-client.ts'

/** Shared by all rooms of the official senders. */
export interface OfficialContext {
  store: Store
  accounts: Accounts
  client: GraphClient
  record: Recorder
  customers: CustomersPort
  /** Address at which Meta reaches this PC, if the owner set it. */
  publicUrl: () => string | null
  background: Background
  bus: Bus
  clock: Clock
  logger: Logger
}
