import { ApiError, type ProviderError } from '../../contract/errors.ts'
import { describeFailure, type Failure } from '../../contract/failures.ts'
import type { GraphOutcome } from './graph-client.ts'

/** What Meta's error codes mean here. The one table; everything that is told about a code comes from it. */

export type RefusalCode =
  | 'provider_auth_failed'
  | 'provider_rate_limited'
  | 'provider_unavailable'
  | 'provider_rejected'

interface Meaning {
  code: RefusalCode
  hint: string
}

const WAIT = 'Wait as long as the answer says, then send again more slowly.'
const OWNER = 'Nothing sent through this number will arrive until this is solved.'

const TABLE: readonly [codes: readonly number[], meaning: Meaning][] = [
  ...rows('provider_auth_failed', [
    [[0, 190], 'Create a new access token for the system user in Meta Business Settings and save it in this sender.'],
    [
      [3, 10, ...range(200, 299), 131005],
      'Give the system user the permissions whatsapp_business_messaging and whatsapp_business_management for this account, create a new access token and save it in this sender.',
    ],
  ]),
  ...rows('provider_rate_limited', [
    [[4, 80007], `Too many calls were made for this app or account. ${WAIT}`],
    [[130429], `The number reached its messages per second. ${WAIT}`],
    [[131056], `Too many messages went to this one person. ${WAIT}`],
  ]),
  ...rows('provider_unavailable', [
    [[1, 2, 131000, 131016, 131057, 133004], 'Meta is unwell or under maintenance. Send again in a few minutes.'],
  ]),
  ...rows('provider_rejected', [
    [
      [131048],
      'Too many people blocked or reported this number. Write less and only to people who expect it; look at the quality rating in WhatsApp Manager.',
    ],
    [[131064], 'Meta limits this number because of spam. Look at its quality rating in WhatsApp Manager and wait.'],
    [[131049], 'This person has had enough marketing messages for now. Do not send again before 24 hours have passed.'],
    [[33], 'Check the phone number id of this sender: the token cannot see it, or the number was deleted.'],
    [[100, 131008, 131009], 'Correct the request: the details name the member that is missing or wrong.'],
    [[131021], 'A number cannot write to itself. Use another recipient.'],
    [
      [131030],
      'A test number may only write to numbers on its list. Add the recipient in the app dashboard, or use a real number.',
    ],
    [[131051], 'This type of message is not supported. Use a template with text, media or buttons.'],
    [[132000], 'Give exactly as many variables as the template has.'],
    [[132001], 'Check the template name and its language in WhatsApp Manager; a new template needs approval first.'],
    [[132005], 'The text is too long with these variables. Shorten them.'],
    [[132007], 'The template breaks a rule of WhatsApp. Change it in WhatsApp Manager and have it approved again.'],
    [
      [132008, 132012, 132018],
      'The variables do not have the form that the template expects: compare type, order and names with the template.',
    ],
    [[131026], 'Check that the number is on WhatsApp, uses a recent version and has accepted the terms of service.'],
    [[368, 131031], `Meta restricted or locked the business account. Open Business Support Home at Meta. ${OWNER}`],
    [[130497], 'This account may not write to people in that country.'],
    [[131037], `The display name of the number needs approval in WhatsApp Manager. ${OWNER}`],
    [
      [131042, 134011],
      `There is a problem with the payment method. Correct it in WhatsApp Manager under billing. ${OWNER}`,
    ],
    [[131045], `The number's certificate is not valid. Register the number again in WhatsApp Manager. ${OWNER}`],
    [[131050], 'This person does not want marketing messages from you. Never send them this kind again.'],
    [[130472], 'Meta keeps this person from marketing messages for an experiment. Sending again does not help.'],
    [[131047], 'More than 24 hours have passed since this person wrote. Send an approved template.'],
    [
      [131052, 131053],
      'Meta could not load the media file. Check that its link is public, its type allowed and its size within the limits.',
    ],
    [
      [132015, 132016, 132068],
      'Meta paused or disabled this template because of its quality. Change it in WhatsApp Manager or use another one.',
    ],
    [
      range(133005, 133016),
      `The number is not registered with the Cloud API. Register it in WhatsApp Manager. ${OWNER}`,
    ],
  ]),
]

const MEANINGS = new Map(TABLE.flatMap(([codes, meaning]) => codes.map((code) => [code, meaning] as const)))

const UNWELL: Meaning = { code: 'provider_unavailable', hint: 'Meta is unwell. Send again in a few minutes.' }
const UNKNOWN: Meaning = {
  code: 'provider_rejected',
  hint: 'The details are in Meta’s words; its error page explains the code.',
}

const OPENING: Record<RefusalCode, string> = {
  provider_auth_failed: 'Meta did not accept the access of this sender',
  provider_rate_limited: 'Meta limits how fast this number may send',
  provider_unavailable: 'Meta could not take the message',
  provider_rejected: 'Meta refused the message',
}

/** The codes of the table, for tests and documentation. */
export const KNOWN_CODES: readonly number[] = [...MEANINGS.keys()]

/** By Meta's code; only an unknown or missing code is judged by its HTTP status. */
export function meaningOf(error: ProviderError): Meaning {
  const known = error.code === null ? undefined : MEANINGS.get(Number(error.code))
  return known ?? ((error.http_status ?? 0) >= 500 ? UNWELL : UNKNOWN)
}

/**
 * The answer for a caller whose send Meta refused.
 * @param retryAfter seconds, told when the error is a limit
 */
export function refusalError(error: ProviderError, messageId: string, retryAfter: number): ApiError {
  const { code, hint } = meaningOf(error)
  return new ApiError(code, `${inWords(OPENING[code], error)} ${hint}`, {
    provider: error,
    message_id: messageId,
    ...(code === 'provider_rate_limited' ? { retry_after: retryAfter } : {}),
  })
}

/** The answer for an owner whose question Meta did not answer. */
export function callError(outcome: Exclude<GraphOutcome<unknown>, { kind: 'answered' }>): ApiError {
  if (outcome.kind === 'refused') {
    const { code, hint } = meaningOf(outcome.error)
    return new ApiError(code, `${inWords('Meta refused', outcome.error)} ${hint}`, {
      provider: outcome.error,
      ...(code === 'provider_rate_limited' ? { retry_after: outcome.retryAfter ?? 60 } : {}),
    })
  }
  const hint = 'Check the internet connection of this PC and try again.'
  return outcome.kind === 'not_sent'
    ? new ApiError('provider_unavailable', `Meta could not be reached (${outcome.reason}). ${hint}`)
    : new ApiError('provider_timeout', `Meta did not answer (${outcome.reason}). ${hint}`)
}

/** What the log and the `message.failed` callback say of a refused send. */
export function refusalFailure(error: ProviderError): Failure {
  const { code, hint } = meaningOf(error)
  return describeFailure(code, { message: inWords(OPENING[code], error), hint, providerCode: codeText(error) })
}

/** The same for a message that Meta accepted and could not deliver; a status may carry several errors, the first counts. */
export function deliveryFailure(errors: readonly ProviderError[]): Failure {
  const error = errors[0]
  if (error === undefined) return describeFailure('delivery_failed')
  const message = inWords('WhatsApp could not deliver this message', error)
  return describeFailure('delivery_failed', { message, hint: meaningOf(error).hint, providerCode: codeText(error) })
}

function inWords(opening: string, error: ProviderError): string {
  const reason = (error.details ?? error.title ?? error.message).replace(/[.\s]+$/, '')
  return error.code === null ? `${opening}: ${reason}.` : `${opening}: ${reason} (code ${error.code}).`
}

function codeText(error: ProviderError): string | undefined {
  return error.code === null ? undefined : String(error.code)
}

function rows(
  code: RefusalCode,
  hints: readonly [codes: readonly number[], hint: string][],
): [readonly number[], Meaning][] {
  return hints.map(([codes, hint]) => [codes, { code, hint }])
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
