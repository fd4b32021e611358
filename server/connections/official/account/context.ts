import type { StateReport } from '../../../senders/ports.ts'
import type { OfficialContext } from '../graph/context.ts'
import type { Catalogue } from '../templates/catalogue.ts'
import type { Probe } from './setup.ts'

/** Shared by all that looks after official senders. */
export interface AccountContext extends OfficialContext {
  catalogue: Catalogue
  probe: Probe
  /** Callbacks of this run whose signature is not that of any sender. */
  refusedCallbacks: () => { count: number; lastAt: number } | null
  graphVersion: string
  reportState: (senderId: number, report: StateReport) => void
  /** Since the start, or since the PC slept. */
  awakeSince: () => number
}
