import { ApiError, duplicateReference, type ErrorDetail, type ProviderError } from '../../contract/errors.ts'
import type { TemplateAnswer, TemplateComponent, TemplateRequest } from '../../contract/templates.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Recorder } from '../../messages/record.ts'
import type { ProviderCalls } from '../../store/sqlite/calls.ts'
import type { Idempotency } from '../../store/sqlite/idempotency.ts'
import type { KeyRow } from '../../store/sqlite/keys.ts'
import type { Lanes } from '../../store/sqlite/lanes.ts'
import type { Messages, Remembered } from '../../store/sqlite/messages.ts'
import type { SenderRow } from '../../store/sqlite/senders.ts'
import { acceptedAnswer, type Conclusion, notSendable, unknownOutcome, unreachable } from './conclusion.ts'
import { meaningOf, refusalError, refusalFailure } from './errors.ts'
import type { Acceptance, Outcome } from './graph-client.ts'
import type { Waits } from './rate-limit-backoff.ts'
import { providerComponents, type TemplateMessage, templateMessage } from './template-message.ts'
import { valueProblems } from './template-problems.ts'

const DAY = 24 * 3_600_000

/** A template send as its caller asked for it. */
export interface TemplateAsk {
  sender: SenderRow
  /** Null: the owner. */
  key: KeyRow | null
  /** Digits only. */
  recipient: string
  referenceId: string | null
  /** JSON */
  metadata: string | null
  body: Pick<TemplateRequest, 'template_name' | 'language' | 'parameters' | 'components'>
  /** The open record of a caller who may ask again. */
  remembered: Remembered | undefined
}

/** Where a sender's template messages go: to Meta, or into the sandbox. */
export interface TemplateWay {
  problems(name: string, language: string, components: readonly TemplateComponent[]): Promise<ErrorDetail[]>
  post(message: TemplateMessage): Promise<Outcome<Acceptance>>
}

export interface SendDeps {
  wayOf: (sender: SenderRow) => TemplateWay
  messages: Pick<Messages, 'accept'>
  calls: ProviderCalls
  idempotency: Pick<Idempotency, 'conclude'>
  record: Recorder
  waits: Waits
  lanes: Pick<Lanes, 'countSend' | 'set'>
  /** After Meta named its id: statuses may have come before. */
  settleEarly: (senderId: number, providerMessageId: string) => Promise<void>
  /** Meta let this sender in, or refused its token. */
  noteAccess: (sender: SenderRow, allowed: boolean) => void
  announce: (seq: number) => void
  newId: () => string
  now: () => number
  logger: Logger
}

/** @throws ApiError what the caller is told when Meta did not take the message */
export type SendTemplate = (ask: TemplateAsk) => Promise<TemplateAnswer>

/**
 * Sends one template message while its caller waits. The row, the request and the caller's idempotency key are on disk
 * before Meta is called, the outcome and the answer before the caller is told.
 */
export function createSendTemplate(deps: SendDeps): SendTemplate {
  const { messages, calls, idempotency, record, waits, lanes, now } = deps

  async function open(ask: TemplateAsk, id: string, request: TemplateMessage): Promise<number> {
    const at = now()
    const { name, language, components = [] } = request.template
    const message = {
      id,
      senderId: ask.sender.id,
      keyNumber: ask.key?.number ?? null,
      channel: 'template' as const,
      recipient: ask.recipient,
      body: null,
      file: null,
      template: JSON.stringify({ name, language: language.code, components }),
      templateName: name,
      referenceId: ask.referenceId,
      metadata: ask.metadata,
      status: 'sending' as const,
      createdAt: at,
      dueAt: at,
      expiresAt: at + DAY,
      // No lane: it leaves inside this call.
      nextAt: null,
      attemptBegins: true as const,
    }
    const unique = ask.key?.refuseDuplicateReference ?? false
    const keepRequest = (seq: number) => calls.put(seq, JSON.stringify(request))
    const accepted = await messages.accept(message, unique, ask.remembered, keepRequest)
    if (accepted.kind === 'duplicate_reference') throw duplicateReference(accepted.id)
    deps.announce(accepted.seq)
    return accepted.seq
  }

  /** Seconds; 0 where waiting is no help. */
  function waitFor({ sender, recipient }: TemplateAsk, error: ProviderError): number {
    if (meaningOf(error).code !== 'provider_rate_limited') return 0
    const code = Number(error.code)
    return waits.refused(code === 131056 ? `${sender.id} ${recipient}` : String(sender.id), code)
  }

  function interpret(ask: TemplateAsk, id: string, outcome: Outcome<Acceptance>): Conclusion {
    switch (outcome.kind) {
      case 'answered': {
        const reply = acceptedAnswer(id, outcome.data)
        return { reply, failure: null, acceptance: outcome.data, httpStatus: 200, answer: outcome.data.body }
      }
      case 'refused': {
        const { error } = outcome
        const reply = refusalError(error, id, outcome.retryAfter ?? waitFor(ask, error))
        const { http_status: httpStatus = null, ...answer } = error
        return { reply, failure: refusalFailure(error), httpStatus, answer: { error: answer } }
      }
      case 'not-sent':
        return unreachable(id, outcome.reason)
      case 'unknown':
        return { reply: unknownOutcome(id), failure: null, doubt: outcome.reason, httpStatus: null, answer: null }
    }
  }

  async function write(ask: TemplateAsk, seq: number, end: Conclusion): Promise<void> {
    const at = now()
    const { reply, acceptance, failure } = end
    const extra = () => {
      if (acceptance !== undefined) {
        lanes.countSend(ask.sender.id, at)
        lanes.set(ask.sender.id, { lastSentAt: at })
      }
      if (end.answer !== null) calls.settle(seq, end.httpStatus, JSON.stringify(end.answer))
      if (ask.remembered === undefined) return
      const { scope, key } = ask.remembered
      const refused = reply instanceof ApiError
      idempotency.conclude(scope, key, refused ? reply.status : 200, JSON.stringify(refused ? reply.toAnswer() : reply))
    }
    if (acceptance !== undefined) {
      const { providerMessageId } = acceptance
      await record.report({ seq }, { status: 'accepted', at, providerMessageId }, extra)
    } else if (failure !== null) {
      await record.report({ seq }, { status: 'failed', at, error: failure }, extra)
    } else {
      const attemptEnds = { outcome: 'unknown', reason: end.doubt ?? null }
      await record.change({ seq }, () => ({ at, attemptEnds }), extra)
    }
  }

  async function conclude(ask: TemplateAsk, id: string, seq: number, end: Conclusion): Promise<TemplateAnswer> {
    try {
      await write(ask, seq, end)
    } catch (error) {
      if (end.failure !== null) throw error
      // Meta may have the message: an answer that says "nothing was accepted" would have it sent twice.
      deps.logger.error({ err: error, message: id }, 'the outcome of a template send could not be written')
      throw unknownOutcome(id)
    }
    if (end.acceptance !== undefined) await deps.settleEarly(ask.sender.id, end.acceptance.providerMessageId)
    if (end.reply instanceof ApiError) throw end.reply
    return end.reply
  }

  return async (ask) => {
    const { sender, body } = ask
    if (sender.paused) throw new ApiError('conflict', `${sender.code} is paused. Resume it in the window.`)
    const way = deps.wayOf(sender)
    const components = providerComponents(body.parameters, body.components)
    const problems = [
      ...valueProblems(body.parameters, body.components),
      ...(await way.problems(body.template_name, body.language, components)),
    ]
    const id = deps.newId()
    const request = templateMessage({
      recipient: ask.recipient,
      name: body.template_name,
      language: body.language,
      components,
      messageId: id,
    })
    const seq = await open(ask, id, request)
    if (problems.length > 0) return conclude(ask, id, seq, notSendable(body.template_name, id, problems))
    const outcome = await way.post(request)
    const end = interpret(ask, id, outcome)
    if (end.acceptance !== undefined) {
      waits.accepted(String(sender.id))
      waits.accepted(`${sender.id} ${ask.recipient}`)
      deps.noteAccess(sender, true)
    } else if (end.failure?.code === 'provider_auth_failed') {
      deps.noteAccess(sender, false)
    }
    return conclude(ask, id, seq, end)
  }
}
