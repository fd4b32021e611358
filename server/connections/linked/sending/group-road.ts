import type { BinaryNode, WASocket } from 'baileys'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { GroupStore } from '../../../store/index.ts'
import type { LookUps } from '../account/look-ups.ts'
import { createGroupDevices } from '../groups/group-devices.ts'
import { createGroups } from '../groups/groups.ts'
import { createSenderKeys } from '../keys/sender-keys.ts'
import type { Flights } from './flights.ts'
import { createGroupRelay, type GroupRelayDeps } from './group-relay.ts'

export interface GroupRoadDeps extends Pick<GroupRelayDeps, 'keepMembers' | 'onAcknowledged'> {
  senderId: number
  store: GroupStore
  lookUps: LookUps
  flights: Flights
  live(): WASocket | undefined
  clock: Clock
  logger: Logger
}

/** All that a linked number knows of groups, and how it writes to them. */
export function createGroupRoad(deps: GroupRoadDeps) {
  const { live } = deps
  const senderKeys = createSenderKeys()
  const devices = createGroupDevices(deps)
  const groups = createGroups(deps)
  return {
    senderKeys,
    groups,
    relay: createGroupRelay({ ...deps, groups, devices, senderKeys }),
    /** Changes of devices and groups may have been missed. */
    onUp(sock: WASocket): void {
      devices.forget('all')
      groups.onUp(sock)
    },
    /** @param users those whose devices it changes */
    onNotification(node: BinaryNode, users: readonly string[] | 'all' | undefined): void {
      const sock = live()
      if (sock !== undefined) groups.onNotification(node, sock)
      if (users !== undefined) devices.forget(users)
    },
    onLinked({ sameAccount }: { sameAccount: boolean }): void {
      senderKeys.forgetAll()
      if (!sameAccount) groups.forget()
    },
    idle: groups.idle,
  }
}
