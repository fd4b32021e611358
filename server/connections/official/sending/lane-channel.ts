import { ApiError, type ProviderError } from '../../../contract/errors.ts'
import { templateComponent } from '../../../contract/templates.ts'
import { alreadyLanded, type Channel, type Checked, type Outcome } from '../../../messages/channel.ts'
import type { Also, Message, ProviderAnswer, SenderRow } from '../../../store/index.ts'
import { meaningOf, refusalEffects, refusalFailure } from '../graph/errors.ts'
import type { Acceptance, GraphOutcome } from '../graph/graph-client.ts'
import { TOO_MANY_TO_ONE, UNANSWERED } from '../graph/rate-limit-backoff.ts'
import { templateMessage } from '../graph/templates.ts'
import { valueProblems } from '../templates/template-problems.ts'
import { checkTemplate, type TemplateTarget } from '../templates/template-target.ts'
import { heldBack, NO_RESPONSE, notSendable, refusedResponse } from './conclusion.ts'
import type { TemplateContext } from './context.ts'

interface Attempt {
  sender: SenderRow
  message: Message
  /** Returns the change that stores the call to Meta and its answer. */
  asked: (response: ProviderAnswer) => Also
}

/** Channel for one sender's queued template messages, to Meta or the sandbox. */
export function createLaneChannel(context: TemplateContext, { id: senderId, code: senderCode }: SenderRow): Channel {
  const { store, backoff, background, bus } = context
  const { now } = context.clock
  /** Number of blocks so far. Makes the names of their background jobs unique. */
  let blocksBegun = 0
  const unanswered = `${senderId} unanswered`
  /** Recipients of calls that Meta has not answered yet. */
  const underWay = new Set<string>()
  let blockedUntil = 0
  /**
   * Number of blocks whose timer runs. `blockedUntil` alone would block too long after the clock is
   * set back, or if a timer fires a moment early.
   */
  let runningBlocks = 0

  /** Returns null if the sender is deleted or the owner must enter its token again. */
  function target(): { sender: SenderRow; target: TemplateTarget } | null {
    const sender = store.senders.get(senderId)
    if (sender === undefined) return null
    try {
      return { sender, target: context.targetOf(sender) }
    } catch (error) {
      if (error instanceof ApiError) return null
      throw error
    }
  }

  function putOff(recipient: string, error: ProviderError, retryAfter: number | null): Outcome {
    const code = Number(error.code)
    const reason = reasonOf(error)
    const isOnePerson = code === TOO_MANY_TO_ONE
    // Several calls may be under way when a limit begins. Count the limit once.
    if (!isOnePerson && !retryAfter && isBlocked()) return { kind: 'put_off', reason, until: blockedUntil }
    // `||`, because a `retryAfter` of 0 would try again without a pause.
    const seconds = retryAfter || backoff.refused(isOnePerson ? `${senderId} ${recipient}` : String(senderId), code)
    if (!isOnePerson) block(seconds)
    return { kind: 'put_off', reason, until: now() + seconds * 1000 }
  }

  function block(seconds: number): void {
    blockedUntil = Math.max(blockedUntil, now() + seconds * 1000)
    runningBlocks += 1
    blocksBegun += 1
    background.later(`the lane of ${senderCode}, ${blocksBegun}`, seconds * 1000, async () => {
      runningBlocks -= 1
      bus.emit('lane', { senderId })
    })
  }

  const isBlocked = () => runningBlocks > 0 && now() < blockedUntil

  /** Pauses the lane while Meta does not answer. Sends in doubt are not retried, so avoid more. */
  function pause(): void {
    if (!isBlocked()) block(backoff.refused(unanswered, UNANSWERED))
  }

  async function refused(
    { sender, message: { recipient }, asked }: Attempt,
    error: ProviderError,
    retryAfter: number | null,
  ): Promise<Outcome> {
    if (await context.onRefused(sender, recipient, error)) return { kind: 'offline', reason: reasonOf(error) }
    const { code, hint } = meaningOf(error)
    // The request may be wrong, so do not repeat it until the message expires.
    if (hint === 'meta_unclear') return { kind: 'not_sent', reason: reasonOf(error) }
    if (code === 'provider_rate_limited' || code === 'provider_unavailable') return putOff(recipient, error, retryAfter)
    const { marketingHold } = refusalEffects(error, now())
    const also = [asked(refusedResponse(error))]
    if (marketingHold !== null) also.push({ kind: 'marketing_hold', until: marketingHold })
    const { message: detail } = refusalFailure(error)
    return { kind: 'refused', code, detail, hintCode: hint, providerCode: String(error.code ?? ''), also }
  }

  async function outcomeOf(attempt: Attempt, answer: GraphOutcome<Acceptance>): Promise<Outcome> {
    const { sender, message, asked } = attempt
    switch (answer.kind) {
      case 'answered': {
        for (const key of [String(senderId), `${senderId} ${message.recipient}`, unanswered]) backoff.accepted(key)
        await context.onAccepted(sender)
        const { providerMessageId, body } = answer.data
        return { kind: 'accepted', providerMessageId, also: [asked({ httpStatus: 200, answer: body })] }
      }
      case 'refused':
        return refused(attempt, answer.error, answer.retryAfter)
      case 'not_sent':
        return { kind: 'offline', reason: answer.reason }
      case 'unknown':
        pause()
        return { kind: 'in_doubt', reason: answer.reason, also: [asked(NO_RESPONSE)] }
    }
  }

  return {
    isWritingTo: (recipient) => underWay.has(recipient),
    ready: () => target()?.sender.state === 'connected' && !isBlocked(),
    isFirstContact: async () => false,
    async check(message) {
      const to = target()
      if (to === null) return { kind: 'offline' }
      return checkQueued(to.target, message, now())
    },
    async send(message) {
      const to = target()
      if (to === null) return alreadyLanded({ kind: 'offline' })
      const { id: messageId, recipient } = message
      const request = templateMessage({ ...templateOf(message), recipient, messageId })
      const attempt: Attempt = {
        sender: to.sender,
        message,
        asked: (response) => ({ kind: 'provider_call', call: { request, ...response } }),
      }
      const outcome = to.target
        .post(request)
        .then((answer) => outcomeOf(attempt, answer))
        // Meta may have the message, whatever failed here.
        .catch((error: unknown): Outcome => ({ kind: 'in_doubt', reason: String(error) }))
        .finally(() => underWay.delete(message.recipient))
      underWay.add(message.recipient)
      return { outcome }
    },
  }
}

/** Checks a queued message before it is sent, because its template may have changed meanwhile. */
async function checkQueued(target: TemplateTarget, message: Message, now: number): Promise<Checked> {
  const { id, recipient } = message
  const template = templateOf(message)
  const values = valueProblems(undefined, template.components)
  const { category, problems } = await checkTemplate(target, { ...template, recipient }, values)
  if (problems.length > 0) {
    const { failure } = notSendable(template.name, id, problems)
    return { kind: 'refused', code: 'template_not_sendable', detail: failure.message }
  }
  const retryAt = await target.heldUntil(recipient, category)
  if (retryAt === null) return 'go'
  const { failure } = heldBack(id, retryAt, now)
  return { kind: 'refused', code: 'provider_rejected', detail: failure.message, hintCode: 'marketing_cap' }
}

function templateOf({ template }: Message) {
  const { name = '', language = '', components = [], ...options } = template ?? {}
  return { ...options, name, language, components: templateComponent.array().parse(components) }
}

const reasonOf = ({ code, details, title, message }: ProviderError): string =>
  `${code ?? ''} ${details ?? title ?? message}`.trim()
