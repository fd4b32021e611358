import { ApiError, isKeptAnswer, type ProviderError } from '../../../contract/errors.ts'
import type { SendAnswer } from '../../../contract/send.ts'
import type { TemplateAnswer, TemplateRequest } from '../../../contract/templates.ts'
import { acceptMessage } from '../../../messages/accept.ts'
import { countSend } from '../../../messages/gates.ts'
import { commonPartOf, queuedTemplate, recipientAtMeta, templateMessage } from '../../../messages/new-message.ts'
import { queuedView } from '../../../messages/view.ts'
import type { TemplateSend } from '../../../senders/ports.ts'
import type { Also, NewMessage, StoredAnswer } from '../../../store/index.ts'
import { unknownOutcome } from '../../../words/errors.ts'
import { meaningOf, refusalEffects } from '../graph/errors.ts'
import type { Acceptance, GraphOutcome } from '../graph/graph-client.ts'
import { TOO_MANY_TO_ONE } from '../graph/rate-limit-backoff.ts'
import {
  templateMessage as graphMessage,
  providerComponents,
  type TemplateMessage,
  templateOptions,
} from '../graph/templates.ts'
import { valueProblems } from '../templates/template-problems.ts'
import { checkTemplate, type TemplateTarget } from '../templates/template-target.ts'
import { accepted, type Conclusion, heldBack, inDoubt, notSendable, refused, unreachable } from './conclusion.ts'
import type { TemplateContext } from './context.ts'

/** A send whose message row is stored. */
interface Opened {
  send: TemplateSend
  /** Body of the call to Meta. */
  call: TemplateMessage
  message: NewMessage
  seq: number
}

/**
 * Sends one template message while its caller waits. Stores the row and the caller's idempotency
 * key before it calls Meta, and the request, its outcome and the answer before it answers the
 * caller.
 * @throws ApiError the caller's answer if Meta did not accept the message
 */
export async function sendTemplate(context: TemplateContext, send: TemplateSend): Promise<TemplateAnswer> {
  const { sender, key, idempotency, request } = send
  const common = commonPartOf(send, request, send.asSent, recipientAtMeta(send, request.phone))
  if (sender.paused) throw new ApiError('conflict', `${sender.code} is paused. Resume it in the window.`)
  if (context.allPaused()) throw new ApiError('conflict', 'All senders are paused. Resume them in the tray menu.')
  const target = context.targetOf(sender)
  const { template, purpose, category, problems } = await checkRequest(target, request, common.recipient)
  const message = templateMessage(common, template, { id: context.newId(), at: context.clock.now() }, purpose)
  const call = graphMessage({ ...template, recipient: message.recipient, messageId: message.id })
  // Read before the row is stored: a failure then accepts nothing.
  const heldUntil = await target.heldUntil(message.recipient, category)
  const seq = await acceptMessage(context.accepting, message, { key, idempotency })
  const opened = { send, call, message, seq }
  if (problems.length > 0) return conclude(context, opened, notSendable(request.template_name, message.id, problems))
  if (heldUntil !== null) return conclude(context, opened, heldBack(message.id, heldUntil, context.clock.now()))
  const end = interpret(context, message, await target.post(call))
  try {
    return await conclude(context, opened, end)
  } finally {
    await noteEnd(context, opened, end)
  }
}

/**
 * Puts a template message into the queue of its sender.
 * @throws ApiError `template_not_sendable`, `queue_full`, …
 */
export async function queueTemplate(context: TemplateContext, send: TemplateSend): Promise<SendAnswer> {
  const { sender, key, idempotency, request } = send
  const common = commonPartOf(send, request, send.asSent, recipientAtMeta(send, request.phone))
  const target = context.targetOf(sender)
  const { template, purpose, problems } = await checkRequest(target, request, common.recipient)
  const birth = { id: context.newId(), at: context.clock.now() }
  const message = queuedTemplate(common, template, birth, purpose, request)
  if (problems.length > 0) throw notSendable(request.template_name, message.id, problems).reply
  const data = queuedView(message, sender.code)
  const answer: SendAnswer = { success: true, message: 'Template message queued.', data }
  const record = idempotency && { ...idempotency, answer: { status: 202, body: JSON.stringify(answer) } }
  await acceptMessage(context.accepting, message, { key, idempotency: record })
  return answer
}

/** Resolves with the requested template and its problems, as far as this PC knows them. */
async function checkRequest(target: TemplateTarget, request: TemplateRequest, recipient: string) {
  const { template_name: name, language, parameters } = request
  const components = providerComponents(parameters, request.components)
  const template = { name, language, components, ...templateOptions(request) }
  const values = valueProblems(parameters, request.components)
  const { category, problems } = await checkTemplate(target, { ...template, recipient }, values)
  const purpose = request.purpose ?? (category === 'MARKETING' ? 'marketing' : 'transactional')
  return { template, purpose, category, problems }
}

function interpret(context: TemplateContext, message: NewMessage, outcome: GraphOutcome<Acceptance>): Conclusion {
  const { id } = message
  switch (outcome.kind) {
    case 'answered':
      return accepted(id, outcome.data)
    case 'refused':
      return refused(id, outcome.error, outcome.retryAfter || waitFor(context, message, outcome.error))
    case 'not_sent':
      return unreachable(id, outcome.reason)
    case 'unknown':
      return inDoubt(id, outcome.reason)
  }
}

/** Returns the seconds to wait; 0 if waiting does not help. */
function waitFor({ backoff }: TemplateContext, { senderId, recipient }: NewMessage, error: ProviderError): number {
  if (meaningOf(error).code !== 'provider_rate_limited') return 0
  const code = Number(error.code)
  return backoff.refused(code === TOO_MANY_TO_ONE ? `${senderId} ${recipient}` : String(senderId), code)
}

async function conclude(context: TemplateContext, opened: Opened, end: Conclusion): Promise<TemplateAnswer> {
  const { id } = opened.message
  try {
    await storeEnd(context, opened, end)
  } catch (error) {
    if (end.failure !== null) throw error
    // Meta may have the message. An answer that says "nothing was accepted" would make the caller
    // send it twice.
    context.logger.error({ err: error, message: id }, 'the outcome of a template send could not be written')
    throw unknownOutcome(id)
  }
  if (end.reply instanceof ApiError) throw end.reply
  return end.reply
}

async function storeEnd({ record, clock }: TemplateContext, opened: Opened, end: Conclusion): Promise<void> {
  const at = clock.now()
  const { seq } = opened
  const { acceptance, failure } = end
  const also = alsoOf(opened, end, at)
  const options = { urgency: 'now', alsoAnyway: true, also } as const
  if (acceptance !== undefined) {
    const { providerMessageId } = acceptance
    await record.report({ seq }, { status: 'accepted', at, providerMessageId }, options)
  } else if (failure !== null) {
    await record.report({ seq }, { status: 'failed', at, error: failure }, options)
  } else {
    const attemptEnds = { outcome: 'unknown', reason: end.doubt ?? null } as const
    await record.change({ seq }, () => ({ at, attemptEnds, also }))
  }
}

async function noteEnd(
  { backoff, onAccepted, onRefused }: TemplateContext,
  { send: { sender }, message }: Opened,
  { acceptance, refusal }: Conclusion,
): Promise<void> {
  const { senderId, recipient } = message
  if (acceptance !== undefined) {
    backoff.accepted(String(senderId))
    backoff.accepted(`${senderId} ${recipient}`)
    await onAccepted(sender)
  } else if (refusal !== undefined) {
    await onRefused(sender, recipient, refusal)
  }
}

/** Returns the changes to store together with the outcome. */
function alsoOf(
  { send: { idempotency }, call }: Opened,
  { acceptance, refusal, response, reply }: Conclusion,
  at: number,
): Also[] {
  const also: Also[] = []
  if (acceptance !== undefined) {
    also.push({ kind: 'sending_state', update: (state) => ({ ...countSend(state, at), lastSentAt: at }) })
  }
  const until = refusal === undefined ? null : refusalEffects(refusal, at).marketingHold
  if (until !== null) also.push({ kind: 'marketing_hold', until })
  if (response !== undefined) also.push({ kind: 'provider_call', call: { request: call, ...response } })
  if (idempotency !== undefined)
    also.push({ kind: 'idempotency_answer', key: idempotency, answer: storedAnswer(reply) })
  return also
}

/** Returns null if nothing happened, so that the caller may try again with the same key. */
function storedAnswer(reply: TemplateAnswer | ApiError): StoredAnswer | null {
  const isRefused = reply instanceof ApiError
  const status = isRefused ? reply.status : 200
  return isKeptAnswer(status) ? { status, body: JSON.stringify(isRefused ? reply.toAnswer() : reply) } : null
}
