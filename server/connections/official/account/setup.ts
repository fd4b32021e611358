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
// The right answer is 24 characters; whatever else is there may be endless.
const MOST_READ = 1024

/**
 * The address that is entered at Meta, from whatever the owner entered here: a base address or all
 * of it.
 */
export const callbackUrl = (publicUrl: string): string => {
  const base = publicUrl.replace(/(?<!\/)\/+$/, '')
  return base.endsWith(WEBHOOK_PATH) ? base : base + WEBHOOK_PATH
}

/**
 * Calls the public address as Meta does. Null: it leads back to this PC; otherwise what is wrong.
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
 * Enters the callback address of this PC at Meta: for the app, with every field that Kurir reads,
 * and then the app for the account. Meta calls the address in between, so the tunnel has to run. An
 * address that was set for the account or for the number alone would come first, and is taken away.
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
  // Where Meta does not say which address it calls, the check that follows does not claim to know
  // it.
  const used = number.kind === 'answered' ? number.data.callbackUrl : null
  return used === null || used === address.url ? subscribed : client.clearNumberCallback(account)
}

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

const PERMISSIONS: readonly string[] = ['whatsapp_business_messaging', 'whatsapp_business_management']

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
