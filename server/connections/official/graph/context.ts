import type { Background } from '../../../lib/background.ts'
import type { Bus } from '../../../lib/bus.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Recorder } from '../../../messages/record.ts'
import type { CustomersPort } from '../../../senders/customers.ts'
import type { Store } from '../../../store/index.ts'
import type { Accounts } from './accounts.ts'
import type { GraphClient } from './graph-client.ts'

export interface OfficialContext {
  store: Store
  accounts: Accounts
  client: GraphClient
  record: Recorder
  customers: CustomersPort
  /** Returns the address at which Meta reaches this PC; null if the owner entered none. */
  publicUrl: () => string | null
  background: Background
  bus: Bus
  clock: Clock
  logger: Logger
}
