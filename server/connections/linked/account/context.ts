import type { WASocket } from 'baileys'
import type { Dispatcher } from 'undici'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Recorder } from '../../../messages/record.ts'
import type { Store } from '../../../store/index.ts'
import type { AuthState } from '../keys/auth-state.ts'
import type { Account } from './account-facts.ts'

/** Shared by all that is done for one linked number. */
export interface LinkedContext {
  senderId: number
  store: Store
  record: Recorder
  account: Account
  auth: AuthState
  /** The open connection, if there is one. */
  live(): WASocket | undefined
  /** Connects to WhatsApp's hosts for files, and guards it. */
  dispatcher: Dispatcher
  /** Aborted when the number stops. */
  stopping: AbortSignal
  clock: Clock
  logger: Logger
}
