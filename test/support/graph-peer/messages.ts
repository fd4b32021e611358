import { acceptedBody } from './answers.ts'
import { type Fault, metaError, ok } from './faults.ts'
import { parameterOf, type RecordedRequest } from './recorded.ts'
import { isRegistered } from './registration.ts'
import type { PeerState } from './state.ts'
import { templateFault } from './template-rules.ts'

const LONGEST_CALLBACK_DATA = 512

/** `POST /{phone_number_id}/messages` and `/marketing_messages` */
export function sendMessage(state: PeerState, request: RecordedRequest): Fault {
  return messageFault(state, request) ?? acceptMessage(state, request, 'accepted')
}

/** Accepts a message without checks. */
export function acceptMessage(state: PeerState, request: RecordedRequest, messageStatus: string | null): Fault {
  const [to, user] = [parameterOf(request, 'to'), parameterOf(request, 'recipient')]
  const waId = to === '' ? null : whatsAppId(to, countryCode(state))
  return ok(acceptedBody(request.wamid, to || user, waId, messageStatus))
}

function messageFault(state: PeerState, request: RecordedRequest): Fault | null {
  const given = (name: string) => parameterOf(request, name)
  if (request.body === null) return metaError(100, { message: '(#100) The parameter messaging_product is required.' })
  if (given('messaging_product') !== 'whatsapp') {
    return metaError(100, { message: '(#100) The parameter messaging_product is required.' })
  }
  if (!isRegistered(state)) return metaError(133010)
  const unaddressed = addressFault(state, given('to'), given('recipient'))
  if (unaddressed !== null) return unaddressed
  if (given('type') !== 'template') return metaError(131051, { details: 'Only template messages are played here.' })
  if (given('biz_opaque_callback_data').length > LONGEST_CALLBACK_DATA) {
    return metaError(131009, { details: 'biz_opaque_callback_data must be at most 512 characters' })
  }
  const { template } = request.body as { template?: { name?: unknown; language?: { code?: unknown } } }
  if (template === undefined) return metaError(131008, { details: 'The parameter template is required.' })
  const row = state.templates.find((one) => one.name === template.name && one.language === template.language?.code)
  return memberFault(request, row?.category) ?? templateFault(state.templates, template)
}

/** Checks the recipient: a number, or Meta's id of a person. */
function addressFault(state: PeerState, to: string, user: string): Fault | null {
  if (to === '' && user === '') return metaError(131008, { details: 'The parameter to is required.' })
  if (to === '') return USER_ID.test(user) ? null : metaError(131009, { details: 'Parameter Invalid: recipient' })
  if (!/^\+?[\d\s().-]{7,}$/.test(to)) return metaError(131009, { details: 'Parameter Invalid: to' })
  const recipient = whatsAppId(to, countryCode(state))
  if (recipient === digitsOf(state.number.display_phone_number)) return metaError(131021)
  if (state.testRecipients !== null && !state.testRecipients.includes(recipient)) return metaError(131030)
  return null
}

const USER_ID = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/
/** Members of every message; each edge allows some more. */
const MEMBERS = [
  'messaging_product',
  'recipient_type',
  'to',
  'recipient',
  'type',
  'template',
  'biz_opaque_callback_data',
]
const MORE: Readonly<Record<string, readonly string[]>> = {
  messages: ['context'],
  marketing_messages: ['product_policy', 'message_activity_sharing'],
}

/**
 * Refuses members that the edge does not know, that have a wrong form, or that do not fit the
 * template.
 */
function memberFault({ route, body }: RecordedRequest, category: string | undefined): Fault | null {
  const given = body as Record<string, unknown>
  const strange = Object.keys(given).find((name) => ![...MEMBERS, ...(MORE[route ?? ''] ?? [])].includes(name))
  if (strange !== undefined) return metaError(100, { message: `(#100) Unexpected key "${strange}" on param.` })
  const { context, product_policy: policy, message_activity_sharing: sharing, recipient } = given
  const answered = (context as { message_id?: unknown } | undefined)?.message_id
  if (context !== undefined && (typeof answered !== 'string' || answered === '')) {
    return metaError(131009, { details: 'Parameter Invalid: context' })
  }
  if (policy !== undefined && !['CLOUD_API_FALLBACK', 'STRICT'].includes(String(policy))) {
    return metaError(100, { message: '(#100) Param product_policy must be one of {CLOUD_API_FALLBACK, STRICT}' })
  }
  if (sharing !== undefined && typeof sharing !== 'boolean') {
    return metaError(100, { message: '(#100) Param message_activity_sharing must be a boolean' })
  }
  if (route === 'marketing_messages' && category !== undefined && category !== 'MARKETING') return metaError(134100)
  return recipient !== undefined && category === 'AUTHENTICATION' ? metaError(131062) : null
}

const digitsOf = (value: unknown): string => String(value).replace(/\D/g, '')

/** Returns the country code of the business: the digits before the first space of its number. */
const countryCode = ({ number }: PeerState): string => digitsOf(String(number.display_phone_number).split(' ')[0])

/**
 * Returns the number that a message goes to. Without a plus, Meta prepends the country code of the
 * business. Numbers of Mexico and Brazil lose the digit that WhatsApp does not use.
 */
function whatsAppId(to: string, businessCountry: string): string {
  const digits = to.startsWith('+') ? digitsOf(to) : businessCountry + digitsOf(to)
  return digits.replace(/^521(\d{10})$/, '52$1').replace(/^55(\d{2})9(\d{8})$/, '55$1$2')
}
