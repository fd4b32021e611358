import type { LinkedContext } from '../account/context.ts'
import type { DeviceCache } from '../account/devices.ts'
import type { FirstContactHolds } from '../account/first-contacts.ts'
import type { LookUps } from '../account/look-ups.ts'
import type { Trust } from '../account/trust.ts'
import type { Groups } from '../groups/groups.ts'
import type { Flights } from './flights.ts'

/** Shared by all code that writes messages through one linked number. */
export interface SendingContext extends LinkedContext {
  lookUps: LookUps
  holds: FirstContactHolds
  trust: Trust
  devices: DeviceCache
  groups: Groups
  flights: Flights
  /** How long the queries before a message may take together, in milliseconds. */
  queryTimeout: number
  /** Counts a look-up as a send in the pacing. Resolves when that is on disk. */
  onLookUp(): Promise<void>
  onAcknowledged(): void
  /** Replaces a connection that does not answer. */
  renew(): void
}
