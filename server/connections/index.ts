import type { Bus } from '../lib/bus.ts'
import { type Clock, isoTimeOrNull } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Vault } from '../lib/vault.ts'
import type { LaneSet } from '../messages/lanes.ts'
import type { Recorder } from '../messages/record.ts'
import type { SenderConnection } from '../senders/connection.ts'
import type { SenderStates } from '../senders/states.ts'
import type { Store } from '../store/index.ts'
import type { SenderRow } from '../store/sqlite/senders.ts'
import { createLinkedSender, type LinkedSenderDeps } from './linked/sender.ts'
import { createSandbox } from './sandbox/sandbox.ts'
import { createSandboxTemplates } from './sandbox/templates.ts'

// The newest ones of a sandbox; those that never get a receipt would be more every day.
const MOST_TAKEN_UP = 10_000

export interface ConnectionsDeps {
  store: Store
  states: SenderStates
  record: Recorder
  lanes: LaneSet
  vault: Vault
  /** Where WhatsApp is; undefined: as the library says. */
  whatsapp: { url: string | undefined; rootKeyHex: string | undefined }
  /** For tests: how long the library waits, whom it trusts. */
  linked: Pick<LinkedSenderDeps, 'timeouts' | 'mediaAgent'>
  bus: Bus
  clock: Clock
  random: () => number
  logger: Logger
}

/** Creates each sender's connection and starts its queue worker. */
export function createConnections(deps: ConnectionsDeps) {
  const { store, states, record, lanes, bus, clock, logger } = deps
  const running = new Map<number, SenderConnection>()

  // Plays Meta for every sandbox: which one a message belongs to stands in its row.
  const sandboxMeta = createSandboxTemplates({
    clock,
    onReport(id, report) {
      record
        .report({ id }, { ...report, at: clock.now() })
        .catch((error: unknown) => logger.error({ err: error }, 'a sandbox status could not be recorded'))
    },
  })

  function sandbox(sender: SenderRow): SenderConnection {
    const box = createSandbox({
      clock,
      onState(state) {
        states.report(sender.id, { state, reason: state === 'offline' ? 'sandbox' : null })
        lanes.wake(sender.id)
      },
      onReport(message, status) {
        record
          .report({ seq: message.seq }, { status, at: clock.now() })
          .catch((error: unknown) => logger.error({ err: error }, 'a sandbox receipt could not be recorded'))
      },
    })
    const unfinished = { senderId: sender.id, statuses: ['sent', 'delivered'] as const, limit: MOST_TAKEN_UP }
    for (const message of store.list.list(unfinished)) box.takeUp(message)
    const nothing = async (): Promise<void> => undefined
    return {
      channel: box.channel,
      linking: () => null,
      link: nothing,
      unlink: nothing,
      resume: () => {},
      suspend: () => {},
      stop: async () => box.stop(),
    }
  }

  function linked(sender: SenderRow): SenderConnection {
    const number = createLinkedSender({
      ...deps.linked,
      senderId: sender.id,
      phone: sender.phone,
      initial: { state: sender.state, reason: sender.reason },
      sessions: store.sessions,
      vault: deps.vault,
      contacts: store.contacts,
      messages: {
        find: store.messages.find,
        content: store.messages.content,
        keep: (seq, content) => record.change({ seq }, () => ({ at: clock.now(), content })),
      },
      config: { whatsappUrl: deps.whatsapp.url, rootKeyHex: deps.whatsapp.rootKeyHex },
      clock,
      random: deps.random,
      logger,
      onState({ linking: _shown, ...change }) {
        states.report(sender.id, change)
        // A renewed code is no new state, but the window must show it.
        bus.emit('sender', { code: sender.code })
      },
      onStatus: ({ providerMessageId, status, at }) =>
        record.report({ providerMessageId, senderId: sender.id }, { status, at }),
      wakeLane: () => lanes.wake(sender.id),
    })
    number.start()
    return {
      channel: number.channel,
      linking() {
        const { linking } = number.view()
        return linking && { ...linking, expires_at: isoTimeOrNull(linking.expires_at) }
      },
      link: number.link,
      unlink: number.unlink,
      resume: number.resume,
      suspend: number.suspend,
      stop: number.stop,
    }
  }

  function create(sender: SenderRow): SenderConnection | undefined {
    if (sender.kind === 'sandbox') return sandbox(sender)
    return sender.kind === 'linked' ? linked(sender) : undefined
  }

  function start(sender: SenderRow): void {
    const made = create(sender)
    if (made === undefined) return
    running.set(sender.id, made)
    lanes.open(sender.id, made.channel)
  }

  return {
    /** Where template messages of a sandbox go. */
    sandboxPost: sandboxMeta.post,
    get: (senderId: number): SenderConnection | undefined => running.get(senderId),
    start,
    startAll(): void {
      for (const sender of store.senders.list()) if (!running.has(sender.id)) start(sender)
    },
    async end(senderId: number): Promise<void> {
      await lanes.shut(senderId)
      await running.get(senderId)?.stop()
      running.delete(senderId)
    },
    suspendAll(): void {
      for (const each of running.values()) each.suspend()
    },
    resumeAll(): void {
      for (const each of running.values()) each.resume()
    },
    stop: async (): Promise<void> => {
      sandboxMeta.stop()
      await Promise.all([...running.values()].map((each) => each.stop()))
    },
  }
}
