import type { Connections } from '../connections/index.ts'
import type { createOfficial } from '../connections/official/index.ts'
import type { LaneSet } from '../messages/lanes.ts'
import { createSenderService } from '../senders/service.ts'
import type { Core } from './core.ts'
import { createHeldSenders, startSomewhere } from './nodes.ts'

/** The service of senders, with the connections of those that there are. */
export async function createSenders(
  core: Core,
  deps: Pick<Parameters<typeof createSenderService>[0], 'allPaused' | 'endWaiting'> & {
    connections: Connections
    lanes: LaneSet
    official: ReturnType<typeof createOfficial>
  },
) {
  const { store, bus, clock } = core
  const held = store.nodes === null ? undefined : createHeldSenders(core, store.nodes, deps)
  const senders = createSenderService({
    senders: store.senders,
    sendingState: store.sendingState,
    messages: store.messages,
    secondRoads: store.secondRoads,
    connections: held === undefined ? deps.connections : { ...deps.connections, start: startSomewhere(core, held) },
    official: deps.official.accounts,
    allPaused: deps.allPaused,
    endWaiting: deps.endWaiting,
    bus,
    clock,
  })
  await senders.ensureSandbox().catch(async () => {
    // Another node that starts at the same moment may have made it.
    await store.nodes?.refresh()
    await senders.ensureSandbox()
  })
  if (held === undefined) await deps.connections.startAll()
  else await held.start()
  return senders
}
