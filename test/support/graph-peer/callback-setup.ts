import { randomInt } from 'node:crypto'
import { type Fault, metaError, ok } from './faults.ts'
import { parameterOf, type RecordedRequest } from './recorded.ts'
import type { PeerState } from './state.ts'

/** Fields that an app can subscribe to on a WhatsApp Business account. */
const FIELDS = [
  ...['account_alerts', 'account_review_update', 'account_settings_update', 'account_update', 'automatic_events'],
  ...['business_capability_update', 'business_status_update', 'calls', 'flows', 'history', 'message_echoes'],
  ...['message_template_components_update', 'message_template_quality_update', 'message_template_status_update'],
  ...['messages', 'messaging_handovers', 'partner_solutions', 'payment_configuration_update'],
  ...['phone_number_name_update', 'phone_number_quality_update', 'security', 'smb_app_state_sync'],
  ...['smb_message_echoes', 'template_category_update', 'tracking_events', 'user_preferences'],
]
const LONGEST_ADDRESS = 200

/** `GET /{app_id}/subscriptions` */
export function subscriptions({ app: { callback } }: PeerState): Fault {
  if (callback === null) return ok({ data: [] })
  const fields = callback.fields.map((name) => ({ name, version: 'v26.0' }))
  return ok({ data: [{ object: 'whatsapp_business_account', callback_url: callback.url, active: true, fields }] })
}

/** `POST /{app_id}/subscriptions`: Meta calls the address before it accepts it. */
export async function setCallback(state: PeerState, request: RecordedRequest): Promise<Fault> {
  const given = (name: string) => parameterOf(request, name)
  for (const name of ['object', 'callback_url', 'verify_token']) {
    if (given(name) === '') return metaError(100, { message: `(#100) The parameter ${name} is required.` })
  }
  if (given('object') !== 'whatsapp_business_account') {
    return metaError(100, { message: '(#100) Param object must be one of {whatsapp_business_account}' })
  }
  const fields = given('fields')
    .split(',')
    .filter((field) => field !== '')
  const unknown = fields.find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) return metaError(100, { message: `(#100) Invalid field name: ${unknown}` })
  const url = given('callback_url')
  const fault = await shakeHands(state, url, given('verify_token'))
  if (fault !== null) return fault
  state.app.callback = { url, fields }
  return ok({ success: true })
}

/** `GET /{account_id}/subscribed_apps` */
export function subscribedApps({ subscribedApps, overrides }: PeerState): Fault {
  const override = overrides.account === null ? {} : { override_callback_uri: overrides.account }
  return ok({
    data: subscribedApps.map(({ id, name }) => ({
      whatsapp_business_api_data: { id, name, link: `https://www.facebook.com/games/?app_id=${id}` },
      ...override,
    })),
  })
}

/** `POST /{account_id}/subscribed_apps`: a call without an address removes the earlier one. */
export async function subscribe(state: PeerState, request: RecordedRequest): Promise<Fault> {
  const { id, name } = state.app
  const uri = parameterOf(request, 'override_callback_uri')
  if (uri === '') {
    state.subscribedApps = [{ id, name }]
    state.overrides.account = null
    return ok({ success: true })
  }
  const subscribed = state.subscribedApps.some((app) => app.id === id)
  if (!subscribed || !state.app.callback?.fields.includes('messages')) {
    return metaError(100, {
      message:
        '(#100) Before override the current callback uri, your app must be subscribed to receive messages for WhatsApp Business Account',
    })
  }
  if (uri.length > LONGEST_ADDRESS) {
    return metaError(100, { message: `(#100) Param override_callback_uri must be no longer than ${LONGEST_ADDRESS}` })
  }
  const fault = await shakeHands(state, uri, parameterOf(request, 'verify_token'))
  if (fault !== null) return fault
  state.overrides.account = uri
  return ok({ success: true })
}

/** `POST /{number_id}`: an empty address removes the earlier one. */
export async function setNumberCallback(state: PeerState, request: RecordedRequest): Promise<Fault> {
  const given = (request.body as { webhook_configuration?: { override_callback_uri?: string; verify_token?: string } })
    .webhook_configuration
  const uri = given?.override_callback_uri
  if (uri === undefined) return metaError(100, { message: '(#100) The parameter webhook_configuration is required.' })
  const fault = uri === '' ? null : await shakeHands(state, uri, given?.verify_token ?? '')
  if (fault !== null) return fault
  state.overrides.number = uri === '' ? null : uri
  return ok({ success: true })
}

/**
 * Returns the addresses that Meta calls for messages. The number's has precedence, then the
 * account's, then the app's.
 */
export function webhookConfiguration({ app, overrides }: PeerState): object {
  return {
    ...(overrides.number === null ? {} : { phone_number: overrides.number }),
    ...(overrides.account === null ? {} : { whatsapp_business_account: overrides.account }),
    ...(app.callback === null ? {} : { application: app.callback.url }),
  }
}

/**
 * Asks the address for the challenge, as Meta does before it accepts an address. Resolves with null
 * if the answer is right.
 */
async function shakeHands({ tunnels }: PeerState, address: string, verifyToken: string): Promise<Fault | null> {
  const failed = (why: string) =>
    metaError(2200, { message: `(#2200) Callback verification failed with the following errors: ${why}` })
  if (!URL.canParse(address)) return metaError(100, { message: '(#100) callback_url should represent a valid URL' })
  const url = new URL(address)
  if (url.protocol !== 'https:') return failed('URL must be https')
  const target = tunnels.get(url.origin)
  if (target === undefined) return failed('curl_errno = 6; curl_error = Could not resolve host; HTTP Status Code = 0')
  const challenge = String(randomInt(100_000_000, 1_000_000_000))
  const query = { 'hub.mode': 'subscribe', 'hub.challenge': challenge, 'hub.verify_token': verifyToken }
  const response = await fetch(`${target}${url.pathname}?${new URLSearchParams(query)}`)
  const text = await response.text()
  if (response.status !== 200) {
    return failed(`HTTP Status Code = ${response.status}; HTTP Message = ${response.statusText}`)
  }
  if (text === challenge) return null
  const message = `(#2201) response does not match challenge, expected value="${challenge}", received="${text.slice(0, 40)}"`
  return metaError(2201, { message })
}
