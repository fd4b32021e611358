import type { WASocket } from 'baileys'
import type { Dispatcher } from 'undici'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Recorder } from '../../../messages/record.ts'
import type { Store } from '../../../store/index.ts'
import type { AuthState } from '../keys/auth-state.ts'
import type { Account } from './account-facts.ts'

/** Dependencies of all code that works for one linked number. */
export interface LinkedContext {
  senderId: number
  store: Store
  record: Recorder
  account: Account
  auth: AuthState
  /** Returns the open connection; undefined: none is open. */
  live(): WASocket | undefined
  /** Makes the guarded connections to WhatsApp's hosts for files. */
  dispatcher: Dispatcher
  /** Aborts when Kurir stops this number. */
  stopping: AbortSignal
  clock: Clock
  logger: Logger
}
