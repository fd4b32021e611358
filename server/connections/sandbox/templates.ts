import type { ProviderError } from '../../contract/errors.ts'
import { describeFailure, type Failure } from '../../contract/failures.ts'
import type { Clock } from '../../lib/clock.ts'

const BETWEEN_REPORTS = 300

/** The members of a template message that matter here. */
interface Asked {
  /** With a leading plus. */
  to: string
  biz_opaque_callback_data: string
}

/** As Meta's own answers are told; see the official channel. */
type Reply =
  | { kind: 'answered'; data: { providerMessageId: string; messageStatus: string; body: unknown } }
  | { kind: 'refused'; error: ProviderError; retryAfter: number | null }
  | { kind: 'not-sent'; reason: string }
  | { kind: 'unknown'; reason: 'timeout' }

interface Told {
  status: 'sent' | 'delivered' | 'read' | 'failed'
  error: Failure | null
}

interface Fate {
  reply?: Reply
  reports: readonly Told[]
}

const refused = (code: number, http_status: number, message: string, details: string): Fate => ({
  reply: { kind: 'refused', error: { code, message, details, http_status }, retryAfter: null },
  reports: [],
})
const told = (...statuses: ('sent' | 'delivered' | 'read')[]): Fate => ({
  reports: statuses.map((status) => ({ status, error: null })),
})

const NOT_THERE = describeFailure('delivery_failed', {
  message: 'WhatsApp could not deliver this message: Message undeliverable (code 131026).',
  hintCode: 'undeliverable',
  providerCode: '131026',
})

const ARRIVES = told('sent', 'delivered', 'read')

const BY_ENDING: { [ending: string]: Fate } = {
  '0001': { reports: [{ status: 'failed', error: NOT_THERE }] },
  '0002': told('sent'),
  '0003': told('sent', 'delivered'),
  '0004': { reply: { kind: 'unknown', reason: 'timeout' }, reports: [] },
  '0005': refused(131031, 403, 'Account has been locked', 'The business account is restricted.'),
  '0006': { reply: { kind: 'not-sent', reason: 'the sandbox is offline' }, reports: [] },
  '0007': refused(132001, 404, 'Template name does not exist in the translation', 'No such template in this language.'),
  '0008': refused(130429, 400, 'Rate limit hit', 'Too many messages were sent through this number.'),
  '0009': refused(190, 401, 'Access token expired', 'The session has expired.'),
}

export interface SandboxTemplateDeps {
  clock: Clock
  onReport(messageId: string, report: Told): void
}

/** Plays Meta for template messages: the last digits of the number choose what becomes of one. */
export function createSandboxTemplates({ clock, onReport }: SandboxTemplateDeps) {
  const timers = new Set<() => void>()

  function later(ms: number, fn: () => void): void {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel)
      fn()
    })
    timers.add(cancel)
  }

  return {
    async post({ to, biz_opaque_callback_data: id }: Asked): Promise<Reply> {
      const { reply, reports } = BY_ENDING[to.slice(-4)] ?? ARRIVES
      for (const [i, report] of reports.entries()) later((i + 1) * BETWEEN_REPORTS, () => onReport(id, report))
      return reply ?? accepted(to, `wamid.sandbox.${id}`)
    },
    stop(): void {
      for (const cancel of timers) cancel()
      timers.clear()
    },
  }
}

function accepted(to: string, id: string): Reply {
  const body = {
    messaging_product: 'whatsapp',
    contacts: [{ input: to, wa_id: to.replace('+', '') }],
    messages: [{ id, message_status: 'accepted' }],
  }
  return { kind: 'answered', data: { providerMessageId: id, messageStatus: 'accepted', body } }
}
