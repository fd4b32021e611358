import type { Failure } from '../../contract/failures.ts'
import { isUserId } from '../../contract/phone.ts'
import { type Clock, SECOND } from '../../lib/clock.ts'
import { untilDone } from '../../lib/sleep.ts'
import type { Channel } from '../../messages/channel.ts'
import { writtenTo } from '../../messages/groups.ts'
import type { Recorder, Report } from '../../messages/record.ts'
import type { SenderConnection } from '../../senders/ports.ts'
import type { Message, MessageRef, SenderRow } from '../../store/index.ts'
import { describeFailure } from '../../words/errors.ts'
import type { ConnectionContext } from '../context.ts'
import type { Acceptance, GraphOutcome } from '../official/graph/graph-client.ts'
import type { TemplateMessage } from '../official/graph/templates.ts'
import { createSandboxConnection, createTimers } from './connection.ts'

// Most messages of an earlier run that continue: the newest. Each day adds some without a receipt.
const MOST_TAKEN_UP = 10_000
// Pause after a storage error.
const RECORDED_AGAIN_AFTER = 5 * SECOND

/** Creates sandboxes: senders for which WhatsApp and Meta are simulated here. */
export function createSandboxes(context: ConnectionContext) {
  const { store, states, record, lanes, clock, logger } = context
  const stopping = new AbortController()

  /**
   * Repeats a write until it succeeds. WhatsApp repeats a receipt that was not confirmed, but a
   * sandbox has no server that would.
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

  // Simulates Meta for every sandbox: the row of a message says to which sandbox it belongs.
  const meta = createSandboxTemplates(clock, (id, { status, ...more }) =>
    recordForSure(context.recordTemplate, { id }, status, more),
  )

  return {
    post: meta.post,
    /** Opens a sandbox, and continues the messages that an earlier run sent. */
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

/** Chooses the channel for each message, because a sandbox has both kinds in one lane. */
function byChannel(standard: Channel, template: Channel): Channel {
  const of = ({ channel }: Message): Channel => (channel === 'template' ? template : standard)
  return {
    ...standard,
    isFirstContact: (message) => of(message).isFirstContact(message),
    check: (message) => of(message).check(message),
    send: (message, media) => of(message).send(message, media),
  }
}

interface StatusReport {
  status: 'sent' | 'delivered' | 'read' | 'failed'
  error: Failure | null
}

/** Course of a sandbox's template message. Without an `outcome` Meta accepts it. */
interface TemplateScenario {
  outcome?: GraphOutcome<Acceptance>
  reports: readonly StatusReport[]
}

const refused = (code: number, http_status: number, message: string, details: string): TemplateScenario => ({
  outcome: { kind: 'refused', error: { code, message, details, http_status }, retryAfter: null },
  reports: [],
})
const reported = (...statuses: ('sent' | 'delivered' | 'read')[]): TemplateScenario => ({
  reports: statuses.map((status) => ({ status, error: null })),
})

const NOT_THERE = describeFailure('delivery_failed', {
  message: 'WhatsApp could not deliver this message: Message undeliverable (code 131026).',
  hintCode: 'undeliverable',
  providerCode: '131026',
})

const ARRIVES = reported('sent', 'delivered', 'read')

const BY_ENDING: { [ending: string]: TemplateScenario } = {
  '0001': { reports: [{ status: 'failed', error: NOT_THERE }] },
  '0002': reported('sent'),
  '0003': reported('sent', 'delivered'),
  '0004': { outcome: { kind: 'unknown', reason: 'timeout' }, reports: [] },
  '0005': refused(131031, 403, 'Account has been locked', 'The business account is restricted.'),
  '0006': { outcome: { kind: 'not_sent', reason: 'the sandbox is offline' }, reports: [] },
  '0007': refused(132001, 404, 'Template name does not exist in the translation', 'No such template in this language.'),
  '0008': refused(130429, 400, 'Rate limit hit', 'Too many messages were sent through this number.'),
  '0009': refused(190, 401, 'Access token expired', 'The session has expired.'),
}

/** Returns the scenario of a recipient. A message to Meta's user ID of a person always arrives. */
const scenarioOf = (recipient: string): TemplateScenario =>
  (isUserId(recipient) ? undefined : BY_ENDING[recipient.slice(-4)]) ?? ARRIVES

/**
 * Simulates Meta for template messages. The last digits of the number choose the scenario.
 * @param onReport resolves when the status is on disk; the next status comes after it
 */
function createSandboxTemplates(clock: Clock, onReport: (messageId: string, report: StatusReport) => Promise<void>) {
  const { inTurn, stop } = createTimers(clock)
  const reportOn = (id: string, reports: readonly StatusReport[]): void =>
    inTurn(reports, (report) => onReport(id, report))

  return {
    async post({ to, recipient, biz_opaque_callback_data: id }: TemplateMessage): Promise<GraphOutcome<Acceptance>> {
      const { outcome, reports } = scenarioOf(to ?? recipient ?? '')
      reportOn(id, reports)
      return outcome ?? accepted(to ?? recipient ?? '', `wamid.sandbox.${id}`)
    },
    /** Continues a message that an earlier run accepted and whose statuses are still to come. */
    takeUp: ({ id, recipient }: Message): void => reportOn(id, scenarioOf(recipient).reports),
    stop,
  }
}

function accepted(to: string, id: string): GraphOutcome<Acceptance> {
  const body = {
    messaging_product: 'whatsapp',
    contacts: [{ input: to, wa_id: to.replace('+', '') }],
    messages: [{ id, message_status: 'accepted' }],
  }
  return { kind: 'answered', data: { providerMessageId: id, messageStatus: 'accepted', body } }
}
