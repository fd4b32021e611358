import { randomBytes } from 'node:crypto'
import { type Dispatcher, request } from 'undici'
import type { SetupReason } from '../../../contract/official-senders.ts'
import { type Clock, SECOND } from '../../../lib/clock.ts'
import { describeNetworkError } from '../../../lib/net-errors.ts'
import { readStart } from '../../../lib/read-body.ts'
import { startDeadline } from '../../../lib/sleep.ts'
import { meaningOf } from '../graph/errors.ts'
import type { Account, CallbackAddress, GraphClient, GraphOutcome } from '../graph/graph-client.ts'
import type { NumberHealth, TokenInfo } from '../graph/graph-shapes.ts'
import { isUnknownId, nonexistingField } from '../graph/provider-error.ts'
import { CALLBACK_FIELDS } from '../inbox/callback.ts'
import { WEBHOOK_PATH } from '../inbox/listener.ts'

const ANSWER_WITHIN = 15 * SECOND
// The right answer has 24 characters. A wrong answer may be endless.
const MOST_READ = 1024

/**
 * Returns the address to enter at Meta.
 * @param publicUrl base address or whole address, as the owner entered it
 */
export const callbackUrl = (publicUrl: string): string => {
  const base = publicUrl.replace(/(?<!\/)\/+$/, '')
  return base.endsWith(WEBHOOK_PATH) ? base : base + WEBHOOK_PATH
}

/**
 * Calls the public address as Meta does. Resolves with null if it leads back to this PC, else with
 * the problem.
 */
export type Probe = (publicUrl: string, verifyToken: string) => Promise<string | null>

export function createProbe({ dispatcher, clock }: { dispatcher: Dispatcher; clock: Clock }): Probe {
  return async (publicUrl, verifyToken) => {
    const challenge = randomBytes(12).toString('hex')
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': verifyToken,
      'hub.challenge': challenge,
    })
    const late = startDeadline(clock, ANSWER_WITHIN)
    try {
      const { statusCode, body } = await request(`${callbackUrl(publicUrl)}?${query}`, {
        dispatcher,
        signal: late.signal,
      })
      const text = (await readStart(body, MOST_READ + 1)).toString('latin1')
      return statusCode === 200 && text === challenge ? null : `something else answers there (${statusCode})`
    } catch (error) {
      return describeNetworkError(late.signal.aborted ? late.signal.reason : error)
    } finally {
      late.cancel()
    }
  }
}

/**
 * Enters the callback address of this PC at Meta for the app, with every field that Kurir reads,
 * and then subscribes the app to the account. Meta calls the address in between, so the tunnel must
 * run. Removes addresses of the account or number alone, because Meta would prefer them.
 */
export async function setUpCallback(
  client: GraphClient,
  account: Account & { appSecret: string },
  address: CallbackAddress,
): Promise<GraphOutcome<true>> {
  const token = await client.tokenInfo(account)
  if (token.kind !== 'answered') return token
  const { appId } = token.data
  if (appId === null) return { kind: 'unknown', reason: 'unreadable' }
  const entered = await client.setAppCallback({ appId, appSecret: account.appSecret }, address, CALLBACK_FIELDS)
  if (entered.kind !== 'answered') return entered
  const subscribed = await client.subscribe(account)
  if (subscribed.kind !== 'answered') return subscribed
  const number = await client.numberHealth(account)
  // If Meta does not say which address it calls, the check that follows does not claim one either.
  const used = number.kind === 'answered' ? number.data.callbackUrl : null
  return used === null || used === address.url ? subscribed : client.clearNumberCallback(account)
}

export type SetupState = { ready: true } | { ready: false; reason: SetupReason }

export interface SetupAnswers {
  phoneNumberId: string
  token: GraphOutcome<TokenInfo>
  number: GraphOutcome<NumberHealth>
  /** Ids of the numbers of the entered account. */
  numbers: GraphOutcome<string[]>
  /** True if the app secret belongs to the token's app. Null: Meta could not be asked. */
  appSecret: GraphOutcome<boolean> | null
}

const PERMISSIONS: readonly string[] = ['whatsapp_business_messaging', 'whatsapp_business_management']

export const missingPermissions = (token: TokenInfo): string[] =>
  PERMISSIONS.filter((permission) => !token.scopes.includes(permission))

/** Returns the state by the first fault to correct; null if Meta does not say. */
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
 * True if the id does not exist or is of another kind, such as the account's in place of the
 * number's.
 */
export const isWrongId = (outcome: GraphOutcome<unknown>): boolean =>
  outcome.kind === 'refused' && (isUnknownId(outcome.error) || nonexistingField(outcome.error) !== null)

/** True if the object is not a number. A number has at least digits or a status. */
export const isEmpty = ({ displayPhoneNumber, status }: NumberHealth): boolean =>
  displayPhoneNumber === null && status === null

/** True if the number is registered with the Cloud API, or Meta does not say. */
export const isRegistered = ({ status, platform }: NumberHealth): boolean =>
  platform === null ? status !== 'PENDING' : platform === 'CLOUD_API'
