import { ApiError } from '../../contract/errors.ts'
import type { SenderCheck } from '../../contract/senders.ts'
import { isoTime } from '../../lib/clock.ts'
import type { OfficialFactsStore } from '../../store/index.ts'
import type { OfficialAccount } from './accounts.ts'
import type { Catalogue } from './catalogue.ts'
import { callError } from './errors.ts'
import type { GraphClient, GraphOutcome } from './graph-client.ts'
import type { NumberHealth, TokenInfo } from './graph-shapes.ts'
import { callbackUrl, type Probe } from './public-url-check.ts'

const PERMISSIONS = ['whatsapp_business_messaging', 'whatsapp_business_management']

export interface CheckDeps {
  client: Pick<GraphClient, 'tokenInfo' | 'numberHealth' | 'subscribedApps' | 'subscribe'>
  catalogue: Pick<Catalogue, 'sync'>
  facts: Pick<OfficialFactsStore, 'get' | 'save'>
  probe: Probe
  /** Where Meta reaches this PC, if the owner set it. */
  publicUrl: () => string | null
  now: () => number
}

export interface CheckResult {
  checks: SenderCheck[]
  /** Null where Meta did not tell. */
  number: NumberHealth | null
  /** Whether Meta lets this token in; null when nobody knows. */
  allowed: boolean | null
}

type Name = SenderCheck['name']

const fine = (name: Name, message: string): SenderCheck => ({ name, ok: true, message, hint: null })
const wrong = (name: Name, message: string, hint: string): SenderCheck => ({ name, ok: false, message, hint })
const unanswered = (name: Name, error: ApiError): SenderCheck =>
  wrong(name, error.message, 'Solve this, then check again.')

/** Everything that has to be right before messages go out and statuses come in, each with what to do. */
export function createChecks({ client, catalogue, facts, probe, publicUrl, now }: CheckDeps) {
  async function templates(account: OfficialAccount): Promise<SenderCheck> {
    try {
      const all = await catalogue.sync(account)
      const approved = all.filter(({ status }) => status === 'APPROVED').length
      if (approved > 0) return fine('templates', `${approved} of ${all.length} templates can be sent.`)
      return wrong('templates', 'No template is approved.', 'Create one in WhatsApp Manager and wait for its approval.')
    } catch (error) {
      if (error instanceof ApiError) return unanswered('templates', error)
      throw error
    }
  }

  async function subscription(account: OfficialAccount, token: GraphOutcome<TokenInfo>): Promise<SenderCheck> {
    const apps = await client.subscribedApps(account)
    if (apps.kind !== 'answered') return unanswered('subscription', callError(apps))
    const appId = token.kind === 'answered' ? token.data.appId : null
    const subscribed = appId === null ? apps.data.length > 0 : apps.data.includes(appId)
    if (subscribed) return fine('subscription', 'Meta sends this account’s callbacks to your app.')
    const done = await client.subscribe(account)
    return done.kind === 'answered'
      ? fine('subscription', 'Your app did not get this account’s callbacks; Kurir subscribed it just now.')
      : unanswered('subscription', callError(done))
  }

  async function publicAddress(account: OfficialAccount): Promise<SenderCheck> {
    const url = publicUrl()
    if (url === null) {
      return wrong(
        'public_address',
        'Meta has no address to call, so statuses cannot arrive.',
        'Set up a tunnel to the webhook port and enter its address in Settings (see the guide to official numbers).',
      )
    }
    const problem = await probe(url, account.verifyToken)
    if (problem === null) return fine('public_address', `${callbackUrl(url)} leads to this PC.`)
    return wrong(
      'public_address',
      `${callbackUrl(url)} does not lead to this PC: ${problem}.`,
      'Start the tunnel and compare its target with the webhook address in Settings.',
    )
  }

  async function statuses(account: OfficialAccount): Promise<SenderCheck> {
    const { lastStatusAt } = await facts.get(account.senderId)
    if (lastStatusAt !== null) return fine('statuses', `Meta last reported a status at ${isoTime(lastStatusAt)}.`)
    return wrong(
      'statuses',
      'Meta has not reported any status yet.',
      'In the app dashboard under WhatsApp, Configuration, enter the callback address and the verify token, subscribe to "messages" and "message_template_status_update", then send a template.',
    )
  }

  return async (account: OfficialAccount): Promise<CheckResult> => {
    const [token, number, templatesCheck] = await Promise.all([
      client.tokenInfo(account),
      client.numberHealth(account),
      templates(account),
    ])
    const checks = [
      tokenCheck(token, now()),
      permissionsCheck(token),
      numberCheck(number),
      templatesCheck,
      await subscription(account, token),
      await publicAddress(account),
      await statuses(account),
    ]
    await facts.save(account.senderId, { checks, checkedAt: now() })
    return { checks, number: number.kind === 'answered' ? number.data : null, allowed: allowed(token) }
  }
}

const NEW_TOKEN = 'Create a new access token for the system user in Meta Business Settings and save it in this sender.'

function allowed(token: GraphOutcome<TokenInfo>): boolean | null {
  if (token.kind === 'answered') return token.data.valid
  return token.kind === 'refused' && callError(token).code === 'provider_auth_failed' ? false : null
}

function tokenCheck(token: GraphOutcome<TokenInfo>, now: number): SenderCheck {
  if (token.kind !== 'answered') return unanswered('token', callError(token))
  const { valid, expiresAt, reason } = token.data
  if (!valid) return wrong('token', `The access token is not valid: ${reason ?? 'Meta gave no reason'}.`, NEW_TOKEN)
  if (expiresAt === null) return fine('token', 'The access token is valid and does not expire.')
  const message = `The access token is valid until ${isoTime(expiresAt)}.`
  const soon = expiresAt - now < 7 * 24 * 3_600_000
  return soon ? wrong('token', message, `${NEW_TOKEN} Choose one that never expires.`) : fine('token', message)
}

function permissionsCheck(token: GraphOutcome<TokenInfo>): SenderCheck {
  const scopes = token.kind === 'answered' ? token.data.scopes : []
  const missing = PERMISSIONS.filter((permission) => !scopes.includes(permission))
  if (missing.length === 0) return fine('permissions', 'The token has both permissions that are needed.')
  return wrong(
    'permissions',
    `The token lacks ${missing.join(' and ')}.`,
    'Give them to the system user in Meta Business Settings, create a new access token and save it in this sender.',
  )
}

function numberCheck(number: GraphOutcome<NumberHealth>): SenderCheck {
  if (number.kind !== 'answered') return unanswered('number', callError(number))
  const { displayPhoneNumber, verifiedName, status, quality, messagingLimit, throughput, canSend } = number.data
  const facts = [
    ['status', status],
    ['quality', quality],
    ['limit', messagingLimit],
    ['throughput', throughput],
  ].flatMap(([name, value]) => (value == null ? [] : [`${name} ${value}`]))
  const message = `${displayPhoneNumber ?? 'The number'} (${verifiedName ?? 'no name'}): ${facts.join(', ')}.`
  if (canSend === 'BLOCKED' || (status !== null && status !== 'CONNECTED')) {
    return wrong('number', message, 'Open the number in WhatsApp Manager: it says there why it cannot send.')
  }
  if (quality === 'RED' || canSend === 'LIMITED') {
    return wrong('number', message, 'Write less, and only to people who expect it, until the quality recovers.')
  }
  return fine('number', message)
}
