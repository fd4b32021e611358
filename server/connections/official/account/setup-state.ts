import type { SetupReason } from '../../../contract/official-senders.ts'
import { meaningOf } from '../graph/errors.ts'
import type { GraphOutcome } from '../graph/graph-client.ts'
import type { NumberHealth, TokenInfo } from '../graph/graph-shapes.ts'
import { isUnknownId, nonexistingField } from '../graph/provider-error.ts'

export type SetupState = { ready: true } | { ready: false; reason: SetupReason }

/** Meta's answers about a sender. */
export interface SetupAnswers {
  phoneNumberId: string
  token: GraphOutcome<TokenInfo>
  number: GraphOutcome<NumberHealth>
  /** IDs of the numbers of the account that was entered. */
  numbers: GraphOutcome<string[]>
  /** True if the app secret is that of the token's app; `null`: it could not be asked. */
  appSecret: GraphOutcome<boolean> | null
}

export const PERMISSIONS: readonly string[] = ['whatsapp_business_messaging', 'whatsapp_business_management']

export const missingPermissions = (token: TokenInfo): string[] =>
  PERMISSIONS.filter((permission) => !token.scopes.includes(permission))

/** State of a sender's set-up, by the first fault to correct; `null` while Meta does not say. */
export function setupState(answers: SetupAnswers): SetupState | null {
  const reason = setupReason(answers)
  if (reason !== null) return { ready: false, reason }
  return answers.number.kind === 'answered' ? { ready: true } : null
}

function setupReason({ phoneNumberId, token, number, numbers, appSecret }: SetupAnswers): SetupReason | null {
  if (token.kind === 'answered' && !token.data.valid) return 'token_refused'
  const asked = [token, number, numbers]
  if (asked.some((outcome) => isRefusedFor(outcome, 'new_token'))) return 'token_refused'
  if (token.kind === 'answered' && missingPermissions(token.data).length > 0) return 'missing_permissions'
  if (asked.some((outcome) => isRefusedFor(outcome, 'permissions'))) return 'missing_permissions'
  if (isWrongId(number) || isWrongId(numbers)) return 'wrong_ids'
  if (number.kind === 'answered' && isEmpty(number.data)) return 'wrong_ids'
  if (numbers.kind === 'answered' && !numbers.data.includes(phoneNumberId)) return 'wrong_ids'
  if (number.kind === 'answered' && !isRegistered(number.data)) return 'not_registered'
  return appSecret?.kind === 'answered' && !appSecret.data ? 'wrong_app_secret' : null
}

const isRefusedFor = (outcome: GraphOutcome<unknown>, hint: 'new_token' | 'permissions'): boolean =>
  outcome.kind === 'refused' && meaningOf(outcome.error).hint === hint

/**
 * An ID that does not exist, or one of another kind, such as that of the account in place of the
 * number's.
 */
export const isWrongId = (outcome: GraphOutcome<unknown>): boolean =>
  outcome.kind === 'refused' && (isUnknownId(outcome.error) || nonexistingField(outcome.error) !== null)

/** True for an object that is no number: a number brings at least its digits or its status. */
export const isEmpty = ({ displayPhoneNumber, status }: NumberHealth): boolean =>
  displayPhoneNumber === null && status === null

/** True if the number is registered with the Cloud API, as far as Meta says. */
export const isRegistered = ({ status, platform }: NumberHealth): boolean =>
  platform === null ? status !== 'PENDING' : platform === 'CLOUD_API'
