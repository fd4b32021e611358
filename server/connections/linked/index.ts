import './library/before.ts'
import { createLinkedConnection } from './connection.ts'
import type { LinkedConnectionDeps } from './deps.ts'
import type { VersionsInUse } from './library/versions.ts'

export { createVersionsInUse } from './library/versions.ts'

/** Creates the connection of a linked number. */
export type ConnectLinked = ReturnType<typeof createConnectLinked>

/**
 * Brings WhatsApp's library with it, half of what the program loads: imported where a number is
 * linked.
 */
export const createConnectLinked = (versions: VersionsInUse) => (deps: LinkedConnectionDeps) =>
  createLinkedConnection(deps, versions)
