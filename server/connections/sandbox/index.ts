import { untilDone } from '../../lib/sleep.ts'
import { SECOND } from '../../lib/time.ts'
import type { Channel } from '../../messages/channel.ts'
import { writtenTo } from '../../messages/groups.ts'
import type { Recorder, Report } from '../../messages/record.ts'
import type { SenderConnection } from '../../senders/connection.ts'
import type { Message, MessageRef, SenderRow } from '../../store/index.ts'
import type { ConnectionContext } from '../context.ts'
import { createSandboxConnection } from './connection.ts'
import { createSandboxTemplates } from './templates.ts'

// Messages of an earlier run that go on, the newest: those without a receipt are more every day.
const MOST_TAKEN_UP = 10_000
// Pause after a storage error.
const RECORDED_AGAIN_AFTER = 5 * SECOND

/** Sandboxes: senders whose WhatsApp and whose Meta are made up here. */
export function createSandboxes(context: ConnectionContext) {
  const { store, states, record, lanes, clock, logger } = context
  const stopping = new AbortController()

  /**
   * WhatsApp repeats a receipt that was not confirmed; a sandbox has no server that would, so it is
   * kept until it is on disk.
   */
  async function forSure(write: () => Promise<unknown>): Promise<void> {
    if (stopping.signal.aborted) return
    await untilDone(write, {
      clock,
      pauseMs: RECORDED_AGAIN_AFTER,
      stop: stopping.signal,
      onError: (err) => logger.error({ err }, 'a status of the sandbox could not be recorded yet'),
    })
  }

  const recordForSure = (by: Recorder, ref: MessageRef, status: Report['status'], more: Partial<Report> = {}) =>
    forSure(() => by.report(ref, { status, at: clock.now(), ...more }))

  // Plays Meta for every sandbox: the row of a message says to which it belongs.
  const meta = createSandboxTemplates(clock, (id, { status, ...more }) =>
    recordForSure(context.recordTemplate, { id }, status, more),
  )

  return {
    /** Posts template messages. */
    post: meta.post,
    /** Begins a sandbox, and goes on with what an earlier run has sent. */
    async open(sender: SenderRow): Promise<SenderConnection> {
      const connection = createSandboxConnection(clock, {
        onState(state) {
          states.report(sender.id, { state, reason: state === 'offline' ? 'sandbox' : null })
          lanes.wake(sender.id)
        },
        onMembers: ({ seq }, members) =>
          forSure(() => record.change({ seq }, (one) => writtenTo(one, members, clock.now()))),
        onReport: ({ seq }, status, member) => recordForSure(record, { seq }, status, member && { member }),
      })
      for (const message of await store.messages.unfinished(sender.id, MOST_TAKEN_UP))
        (message.channel === 'template' ? meta : connection).takeUp(message)
      return { ...connection, channel: byChannel(connection.channel, context.templateChannel(sender)) }
    },
    stop(): void {
      stopping.abort()
      meta.stop()
    },
  }
}

/** A sandbox has both kinds of messages in one lane. */
function byChannel(standard: Channel, template: Channel): Channel {
  const of = ({ channel }: Message): Channel => (channel === 'template' ? template : standard)
  return {
    ...standard,
    isFirstContact: (message) => of(message).isFirstContact(message),
    check: (message) => of(message).check(message),
    send: (message, media) => of(message).send(message, media),
  }
}
