import type { Failure } from '../../contract/failures.ts'
import { isUserId } from '../../contract/phone.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Message } from '../../store/index.ts'
import { describeFailure } from '../../words/failure.ts'
import type { Acceptance, GraphOutcome } from '../official/graph/graph-client.ts'
import type { TemplateMessage } from '../official/graph/template-message.ts'
import { createTimers } from './connection.ts'

interface StatusReport {
  status: 'sent' | 'delivered' | 'read' | 'failed'
  error: Failure | null
}

/** Fate of a sandbox's template message; without an `outcome` Meta accepts it. */
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

/** One that is named by Meta's ID of a person always arrives. */
const scenarioOf = (recipient: string): TemplateScenario =>
  (isUserId(recipient) ? undefined : BY_ENDING[recipient.slice(-4)]) ?? ARRIVES

/**
 * Plays Meta for template messages: the last digits of the number choose what becomes of one.
 * @param onReport resolves when it is on disk: the next one comes after it
 */
export function createSandboxTemplates(
  clock: Clock,
  onReport: (messageId: string, report: StatusReport) => Promise<void>,
) {
  const { inTurn, stop } = createTimers(clock)
  const reportOn = (id: string, reports: readonly StatusReport[]): void =>
    inTurn(reports, (report) => onReport(id, report))

  return {
    async post({ to, recipient, biz_opaque_callback_data: id }: TemplateMessage): Promise<GraphOutcome<Acceptance>> {
      const { outcome, reports } = scenarioOf(to ?? recipient ?? '')
      reportOn(id, reports)
      return outcome ?? accepted(to ?? recipient ?? '', `wamid.sandbox.${id}`)
    },
    /** Goes on with a message that an earlier run has accepted: its statuses were still to come. */
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
