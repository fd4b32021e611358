import type { Connections } from '../connections/index.ts'
import type { createOfficial } from '../connections/official/index.ts'
import type { LaneSet } from '../messages/lanes.ts'
import { createSenderService } from '../senders/service.ts'
import type { SenderRow } from '../store/index.ts'
import type { Core } from './core.ts'

/** The service of senders, with the connections of those that there are. */
export async function createSenders(
  { deployment, store, bus, clock }: Core,
  deps: Pick<Parameters<typeof createSenderService>[0], 'allPaused' | 'endWaiting'> & {
    connections: Connections
    lanes: LaneSet
    official: ReturnType<typeof createOfficial>
  },
) {
  const { connections } = deps
  // All that there are start below.
  let start: (sender: SenderRow) => Promise<void> = async () => undefined
  const senders = createSenderService({
    senders: store.senders,
    sendingState: store.sendingState,
    messages: store.messages,
    figures: store.figures,
    connections: { ...connections, start: (sender) => start(sender) },
    official: deps.official.accounts,
    allPaused: deps.allPaused,
    endWaiting: deps.endWaiting,
    bus,
    clock,
  })
  await senders.ensureSandbox().catch(async () => {
    // Another program that starts at the same moment may have made it.
    await deployment.refresh?.()
    await senders.ensureSandbox()
  })
  start = await deployment.start(connections, deps.lanes)
  return senders
}
