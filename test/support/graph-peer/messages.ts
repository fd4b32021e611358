import { acceptedBody } from './answers.ts'
import { type Fault, metaError, ok } from './faults.ts'
import { parameterOf, type RecordedRequest } from './recorded.ts'
import { isRegistered } from './registration.ts'
import type { PeerState } from './state.ts'
import { templateFault } from './template-rules.ts'

const LONGEST_CALLBACK_DATA = 512

/** `POST /{phone_number_id}/messages` */
export function sendMessage(state: PeerState, request: RecordedRequest): Fault {
  return messageFault(state, request) ?? acceptMessage(state, request, 'accepted')
}

/** Takes a message without looking at it. */
export function acceptMessage(state: PeerState, request: RecordedRequest, messageStatus: string | null): Fault {
  const to = parameterOf(request, 'to')
  return ok(acceptedBody(request.wamid, to, whatsAppId(to, countryCode(state)), messageStatus))
}

function messageFault(state: PeerState, request: RecordedRequest): Fault | null {
  const given = (name: string) => parameterOf(request, name)
  if (request.body === null) return metaError(100, { message: '(#100) The parameter messaging_product is required.' })
  if (given('messaging_product') !== 'whatsapp') {
    return metaError(100, { message: '(#100) The parameter messaging_product is required.' })
  }
  if (!isRegistered(state)) return metaError(133010)
  const to = given('to')
  if (to === '') return metaError(131008, { details: 'The parameter to is required.' })
  if (!/^\+?[\d\s().-]{7,}$/.test(to)) return metaError(131009, { details: 'Parameter Invalid: to' })
  const recipient = whatsAppId(to, countryCode(state))
  if (recipient === digitsOf(state.number.display_phone_number)) return metaError(131021)
  if (state.testRecipients !== null && !state.testRecipients.includes(recipient)) return metaError(131030)
  if (given('type') !== 'template') return metaError(131051, { details: 'Only template messages are played here.' })
  if (given('biz_opaque_callback_data').length > LONGEST_CALLBACK_DATA) {
    return metaError(131009, { details: 'biz_opaque_callback_data must be at most 512 characters' })
  }
  const { template } = request.body as { template?: unknown }
  if (template === undefined) return metaError(131008, { details: 'The parameter template is required.' })
  return templateFault(state.templates, template)
}

const digitsOf = (value: unknown): string => String(value).replace(/\D/g, '')

/** Of the business's own number, the part before its first space. */
const countryCode = ({ number }: PeerState): string => digitsOf(String(number.display_phone_number).split(' ')[0])

/**
 * The number that a message goes to. Without a plus Meta puts the country code of the business in front; numbers of
 * Mexico and Brazil lose the digit that WhatsApp does not use.
 */
function whatsAppId(to: string, businessCountry: string): string {
  const digits = to.startsWith('+') ? digitsOf(to) : businessCountry + digitsOf(to)
  return digits.replace(/^521(\d{10})$/, '52$1').replace(/^55(\d{2})9(\d{8})$/, '55$1$2')
}
