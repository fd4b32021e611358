import { ApiError, type ErrorDetail, type ProviderError } from '../../../contract/errors.ts'
import type { Failure } from '../../../contract/failures.ts'
import type { TemplateAnswer } from '../../../contract/templates.ts'
import { isoTime } from '../../../lib/clock.ts'
import type { ProviderAnswer } from '../../../store/index.ts'
import { en } from '../../../words/en/index.ts'
import { describeFailure, unknownOutcome } from '../../../words/errors.ts'
import { refusalError, refusalFailure } from '../graph/errors.ts'
import type { Acceptance } from '../graph/graph-client.ts'

export const NO_RESPONSE: ProviderAnswer = { httpStatus: null, answer: null }

export function refusedResponse(error: ProviderError): ProviderAnswer {
  const { http_status: httpStatus = null, ...answer } = error
  return { httpStatus, answer: { error: answer } }
}

/** Answer to a call, and the change to store with it. */
export interface Conclusion {
  reply: TemplateAnswer | ApiError
  /** Null if the message was accepted or its outcome is unknown. */
  failure: Failure | null
  acceptance?: Acceptance
  /** Meta's error if it refused the message. */
  refusal?: ProviderError
  /** Reason of the attempt if its outcome is unknown. */
  doubt?: string
  /** Absent if Meta was not called. */
  response?: ProviderAnswer
}

/** Meta was not called. */
interface NotAsked extends Conclusion {
  reply: ApiError
  failure: Failure
}

const TAKEN: { [status: string]: string } = {
  held_for_quality_assessment: 'Meta took the message and holds it until the quality of the template is assessed.',
  paused: 'Meta took the message, but sending of this template is paused.',
}

export function accepted(id: string, acceptance: Acceptance): Conclusion {
  const { providerMessageId, messageStatus, body } = acceptance
  const reply: TemplateAnswer = {
    success: true,
    message: TAKEN[messageStatus ?? ''] ?? 'Template message accepted.',
    // Meta's answer, unchanged. The graph client has checked that it contains the id.
    data: { id, success: true, messageId: providerMessageId, data: body as TemplateAnswer['data']['data'] },
  }
  return { reply, failure: null, acceptance, response: { httpStatus: 200, answer: body } }
}

/** @param retryAfter seconds; 0 if waiting does not help */
export const refused = (id: string, error: ProviderError, retryAfter: number): Conclusion => ({
  reply: refusalError(error, id, retryAfter),
  failure: refusalFailure(error),
  refusal: error,
  response: refusedResponse(error),
})

/** For a call without a clear answer, after which Meta may have the message. */
export const inDoubt = (id: string, doubt: string): Conclusion => ({
  reply: unknownOutcome(id),
  failure: null,
  doubt,
  response: NO_RESPONSE,
})

export function unreachable(id: string, reason: string): Conclusion {
  const text = `Meta could not be reached: ${reason}.`
  const hint = 'Nothing was sent. Check the internet connection of this PC and send again.'
  return {
    reply: new ApiError('provider_unavailable', `${text} ${hint}`, { message_id: id }),
    failure: describeFailure('provider_unavailable', { message: text, hint }),
    response: NO_RESPONSE,
  }
}

/**
 * For a marketing message that Meta would not accept before `until` (131049). Meta is not called,
 * because another try would only count against the number.
 */
export function heldBack(id: string, until: number, now: number): NotAsked {
  const text = `Meta takes no marketing message to this person before ${isoTime(until)} (code 131049). Nothing was sent.`
  return {
    reply: new ApiError('provider_rejected', `${text} ${en.hints.marketing_cap}`, {
      hint_code: 'marketing_cap',
      message_id: id,
      retry_after: Math.max(1, Math.ceil((until - now) / 1000)),
    }),
    failure: describeFailure('provider_rejected', { message: text, hintCode: 'marketing_cap', providerCode: '131049' }),
  }
}

export function notSendable(name: string, id: string, details: ErrorDetail[]): NotAsked {
  const text = `The template ${name} cannot be sent like this: ${details.map((d) => `${d.field} ${d.message}`).join('; ')}.`
  return {
    reply: new ApiError('template_not_sendable', text, { details, message_id: id }),
    failure: describeFailure('template_not_sendable', { message: text }),
  }
}
