import type { StateReport } from '../../../senders/ports.ts'
import type { OfficialContext } from '../graph/context.ts'
import type { Catalogue } from '../templates/catalogue.ts'
import type { Probe } from './setup.ts'

export interface AccountContext extends OfficialContext {
  catalogue: Catalogue
  probe: Probe
  /** Callbacks since the start whose signature fits no sender. */
  refusedCallbacks: () => { count: number; lastAt: number } | null
  graphVersion: string
  reportState: (senderId: number, report: StateReport) => void
  /** Time of the start, or of the PC's last wake-up. */
  awakeSince: () => number
}
