import type { Connections } from '../connections/index.ts'
import type { createOfficial } from '../connections/official/index.ts'
import { createSenderService } from '../senders/service.ts'
import type { Core } from './core.ts'

/** The service of senders, with the connections of those that there are. */
export async function createSenders(
  { store, bus, clock }: Core,
  deps: Pick<Parameters<typeof createSenderService>[0], 'allPaused' | 'endWaiting'> & {
    connections: Connections
    official: ReturnType<typeof createOfficial>
  },
) {
  const senders = createSenderService({
    senders: store.senders,
    sendingState: store.sendingState,
    messages: store.messages,
    secondRoads: store.secondRoads,
    connections: deps.connections,
    official: deps.official.accounts,
    allPaused: deps.allPaused,
    endWaiting: deps.endWaiting,
    bus,
    clock,
  })
  await senders.ensureSandbox()
  await deps.connections.startAll()
  return senders
}
