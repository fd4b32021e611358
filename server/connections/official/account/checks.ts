import { ApiError } from '../../../contract/errors.ts'
import type { ProviderHint } from '../../../contract/failures.ts'
import type { CheckFinding, Finding, SenderCheck } from '../../../contract/official-senders.ts'
import { DAY, isoTime } from '../../../lib/clock.ts'
import { en } from '../../../words/en/index.ts'
import { sayWith, type ValuesOf } from '../../../words/say.ts'
import type { OfficialAccount } from '../graph/accounts.ts'
import { unansweredBecause } from '../graph/errors.ts'
import type { GraphOutcome } from '../graph/graph-client.ts'
import type { NumberHealth, TokenInfo } from '../graph/graph-shapes.ts'
import type { AccountContext } from './context.ts'
import {
  callbackUrl,
  isEmpty,
  isRegistered,
  isWrongId,
  missingPermissions,
  type SetupState,
  setupState,
} from './setup.ts'

const TOKEN_WARNING = 7 * DAY
/** Findings if Meta says nothing about the token. */
const UNKNOWN: readonly (CheckFinding | undefined)[] = ['permissions_unknown', 'secret_unknown']

interface CheckResult {
  checks: SenderCheck[]
  /** Null if Meta did not answer. */
  number: NumberHealth | null
  /** Null if Meta did not say. */
  setup: SetupState | null
}

type Name = SenderCheck['name']

/** @param exact the words of Meta or of the network error */
const found = <C extends CheckFinding>(
  code: C,
  values: ValuesOf<`findings.${C}`>,
  exact: string | null = null,
): Finding => ({ code, values: { ...values }, exact })
const sentence = (part: string): string =>
  `${part.charAt(0).toUpperCase()}${part.slice(1)}${part.endsWith('.') ? '' : '.'}`
/** Returns the finding in English, followed by the words of Meta or the network error. */
const inEnglish = ({ code, values, exact }: Finding): string =>
  [sayWith(en, `findings.${code}`, values), exact ?? ''].join(' ').trim()

const check = (name: Name, it: Finding, hint_code: ProviderHint | null, hint: string | null): SenderCheck => ({
  name,
  ok: hint_code === null,
  message: inEnglish(it),
  finding: it,
  hint,
  hint_code,
})
const fine = (name: Name, it: Finding): SenderCheck => check(name, it, null, null)
const wrong = (name: Name, it: Finding, code: ProviderHint, hint: string = en.hints[code]): SenderCheck =>
  check(name, it, code, hint)
function unanswered(name: Name, outcome: Exclude<GraphOutcome<unknown>, { kind: 'answered' }>): SenderCheck {
  const { message, hint } = unansweredBecause(outcome)
  return wrong(name, found(outcome.kind === 'refused' ? 'meta_refused' : 'meta_away', {}, message), hint)
}

/**
 * Checks everything that must be right before messages go out and statuses come in, and stores the
 * findings, each with what to do.
 */
export async function runChecks(context: AccountContext, account: OfficialAccount): Promise<CheckResult> {
  const { store, client, clock } = context
  const [token, number, numbers, templates] = await Promise.all([
    client.tokenInfo(account),
    client.numberHealth(account),
    client.numbers(account),
    templatesCheck(context, account),
  ])
  const appSecret = await askForSecret(context, account, token)
  const checks = [
    tokenCheck(token, clock.now()),
    permissionsCheck(token),
    secretCheck(appSecret),
    numberCheck(number, numbers, account.phoneNumberId),
    templates,
    await subscriptionCheck(context, account, token, number),
    await addressCheck(context, account, number),
    statusesCheck((await store.officialFacts.get(account.senderId)).lastStatusAt),
  ]
  // Without an answer about the token its stored end stays.
  const ends = token.kind === 'answered' && token.data.valid ? { tokenEndsAt: token.data.expiresAt } : {}
  const known = { ...(await foundBy(context, account.senderId, token, checks)), ...ends }
  await store.officialFacts.change(account.senderId, () => known)
  const setup = setupState({ phoneNumberId: account.phoneNumberId, token, number, numbers, appSecret })
  return { checks, number: number.kind === 'answered' ? number.data : null, setup }
}

async function templatesCheck({ catalogue }: AccountContext, account: OfficialAccount): Promise<SenderCheck> {
  try {
    const { templates, unreadable } = await catalogue.sync(account)
    const approved = templates.filter(({ status }) => status === 'APPROVED').length
    const more = unreadable === 0 ? {} : { unreadable: String(unreadable) }
    if (approved === 0) return wrong('templates', found('templates_none', more), 'no_template')
    const values = { approved: String(approved), all: String(templates.length), ...more }
    return fine('templates', found('templates_some', values))
  } catch (error) {
    if (error instanceof ApiError) {
      const isAway = error.code === 'provider_unavailable' || error.code === 'provider_timeout'
      const hint = error.extras.hint_code ?? 'check_again'
      // The error's message ends with the hint, but a check has its hint beside its message.
      const exact = error.message.replace(en.hints[hint], '').trim()
      return wrong('templates', found(isAway ? 'meta_away' : 'meta_refused', {}, exact), hint)
    }
    throw error
  }
}

/** Asks Meta about the app secret. Resolves with null if the token did not name the app's id. */
async function askForSecret(
  { client }: AccountContext,
  account: OfficialAccount,
  token: GraphOutcome<TokenInfo>,
): Promise<GraphOutcome<boolean> | null> {
  const appId = token.kind === 'answered' ? token.data.appId : null
  return appId === null ? null : client.appSecretFits(account, { appId, appSecret: account.appSecret })
}

async function subscriptionCheck(
  { client, publicUrl }: AccountContext,
  account: OfficialAccount,
  token: GraphOutcome<TokenInfo>,
  number: GraphOutcome<NumberHealth>,
): Promise<SenderCheck> {
  const apps = await client.subscribedApps(account)
  if (apps.kind !== 'answered') return unanswered('subscription', apps)
  const appId = token.kind === 'answered' ? token.data.appId : null
  const subscribed = appId === null ? apps.data.length > 0 : apps.data.includes(appId)
  const done = subscribed ? null : await client.subscribe(account)
  if (done !== null && done.kind !== 'answered') return unanswered('subscription', done)
  const base = publicUrl()
  const used = number.kind === 'answered' ? number.data.callbackUrl : null
  if (base !== null && used && used !== callbackUrl(base)) {
    return wrong('subscription', found('address_other', { url: callbackUrl(base), used }), 'callback_elsewhere')
  }
  return fine('subscription', found(subscribed ? 'subscribed' : 'subscribed_now', {}))
}

async function addressCheck(
  { probe, publicUrl }: AccountContext,
  account: OfficialAccount,
  number: GraphOutcome<NumberHealth>,
): Promise<SenderCheck> {
  const base = publicUrl()
  if (base === null) {
    return wrong('public_address', found('address_none', {}), 'no_public_address')
  }
  const url = callbackUrl(base)
  const problem = await probe(base, account.verifyToken)
  if (problem !== null) {
    return wrong('public_address', found('address_elsewhere', { url }, sentence(problem)), 'tunnel')
  }
  const used = number.kind === 'answered' ? number.data.callbackUrl : null
  if (used === '') {
    return wrong('public_address', found('address_not_entered', { url }), 'no_status_yet')
  }
  return fine('public_address', found(used === url ? 'address_used' : 'address_right', { url }))
}

export function statusesCheck(lastStatusAt: number | null): SenderCheck {
  if (lastStatusAt !== null) return fine('statuses', found('status_came', { at: isoTime(lastStatusAt) }))
  return wrong('statuses', found('status_never', {}), 'no_status_yet')
}

/**
 * Resolves with the facts to store. Checks that Meta did not answer keep their last finding, and
 * `checkedAt` stays as it was, so that Meta is asked again soon.
 */
async function foundBy(
  { store, clock }: AccountContext,
  senderId: number,
  token: GraphOutcome<TokenInfo>,
  checks: readonly SenderCheck[],
) {
  const isAway = ({ finding }: SenderCheck) =>
    finding?.code === 'meta_away' ||
    (token.kind !== 'answered' && token.kind !== 'refused' && UNKNOWN.includes(finding?.code))
  const before = (await store.officialFacts.get(senderId)).checks
  if (before.length === 0 || !checks.some(isAway)) return { checks: [...checks], checkedAt: clock.now() }
  return {
    checks: checks.map((each) => (isAway(each) ? (before.find(({ name }) => name === each.name) ?? each) : each)),
  }
}

function tokenCheck(token: GraphOutcome<TokenInfo>, now: number): SenderCheck {
  if (token.kind !== 'answered') return unanswered('token', token)
  const { valid, expiresAt, reason } = token.data
  if (!valid) return wrong('token', found('token_invalid', {}, reason === null ? null : sentence(reason)), 'new_token')
  if (expiresAt === null) return fine('token', found('token_forever', {}))
  const it = found('token_until', { at: isoTime(expiresAt) })
  return expiresAt - now < TOKEN_WARNING ? wrong('token', it, 'token_expires') : fine('token', it)
}

function permissionsCheck(token: GraphOutcome<TokenInfo>): SenderCheck {
  if (token.kind !== 'answered') {
    return wrong('permissions', found('permissions_unknown', {}), 'check_again')
  }
  const missing = missingPermissions(token.data)
  if (missing.length === 0) return fine('permissions', found('permissions_complete', {}))
  const [first = '', second] = missing
  const it =
    second === undefined
      ? found('permissions_missing', { missing: first })
      : found('permissions_none', { first, second })
  return wrong('permissions', it, 'permissions')
}

function secretCheck(secret: GraphOutcome<boolean> | null): SenderCheck {
  if (secret === null) return wrong('app_secret', found('secret_unknown', {}), 'check_again')
  if (secret.kind !== 'answered') return unanswered('app_secret', secret)
  if (secret.data) return fine('app_secret', found('secret_right', {}))
  return wrong('app_secret', found('secret_wrong', {}), 'wrong_app_secret')
}

function numberCheck(
  number: GraphOutcome<NumberHealth>,
  numbers: GraphOutcome<string[]>,
  phoneNumberId: string,
): SenderCheck {
  if (isWrongId(number)) return wrong('number', found('number_unknown', {}), 'wrong_ids')
  if (number.kind !== 'answered') return unanswered('number', number)
  const health = number.data
  if (isEmpty(health)) return wrong('number', found('number_empty', {}), 'wrong_ids')
  const it = describeNumber(health)
  if (isWrongId(numbers) || (numbers.kind === 'answered' && !numbers.data.includes(phoneNumberId))) {
    return wrong('number', found('number_elsewhere', nameOf(health), it.exact), 'wrong_ids')
  }
  if (!isRegistered(health))
    return wrong('number', found('number_unregistered', nameOf(health), it.exact), 'not_registered')
  const { canSend, status, quality, nameStatus, problems } = health
  if (canSend === 'BLOCKED' || (status !== null && status !== 'CONNECTED' && status !== 'FLAGGED')) {
    const solution = problems.find((problem) => problem.solution !== null)?.solution
    return wrong('number', it, 'number_blocked', solution ?? undefined)
  }
  if (quality === 'RED' || status === 'FLAGGED' || canSend === 'LIMITED') return wrong('number', it, 'number_quality')
  if (nameStatus === 'DECLINED' || nameStatus === 'EXPIRED') return wrong('number', it, 'name_declined')
  return fine('number', it)
}

const nameOf = ({ displayPhoneNumber, verifiedName }: NumberHealth) => ({
  number: displayPhoneNumber ?? '?',
  name: verifiedName ?? '?',
})

/**
 * Returns `+62 21 5550 1234 (Toko Maju): status CONNECTED, quality GREEN, …` and Meta's reasons for
 * not sending.
 */
function describeNumber(number: NumberHealth): Finding {
  const { nameStatus, messagingLimit: limit, throughput, problems } = number
  const trouble = problems.flatMap(({ part, code, description }) =>
    description === null ? [] : [`${part ?? 'Meta'}: ${description}${code === null ? '' : ` (${code})`}`],
  )
  // The state of the name is shown only if the name is not in use.
  const isNameInUse = nameStatus === 'APPROVED' || nameStatus === 'AVAILABLE_WITHOUT_REVIEW'
  const values = {
    ...nameOf(number),
    status: number.status ?? '?',
    quality: number.quality ?? '?',
    ...(nameStatus === null || isNameInUse ? {} : { display_name: nameStatus }),
    ...(throughput === null ? {} : { throughput }),
  }
  const exact = trouble.length === 0 ? null : trouble.join(' ')
  if (limit === 'unlimited') return found('number_unlimited', values, exact)
  return found('number', limit === null ? values : { ...values, limit }, exact)
}
