import { randomUUID } from 'node:crypto'
import type { ApiError, ErrorCode, ProviderError } from '../../../contract/errors.ts'
import { replyTo } from '../../../http/response.ts'
import { Reply } from '../../../http/route.ts'
import { GatewayError } from '../mouth.ts'

/** An error as Meta names it (developers.facebook.com, "Error codes"). */
interface MetaError {
  status: number
  code: number
  title: string
  type?: string
  subcode?: number
  isTransient?: true
}

const INVALID: MetaError = { status: 400, code: 131009, title: 'Parameter value is not valid' }
const MISSING: MetaError = { status: 400, code: 131008, title: 'Required parameter is missing' }
const NO_TOKEN: MetaError = { status: 401, code: 190, title: 'Invalid OAuth access token' }
const UNWELL: MetaError = { status: 503, code: 131016, title: 'Service unavailable', isTransient: true }
// Meta answers 400 here, not 429; its clients look at the code.
const TOO_MANY: MetaError = { status: 400, code: 130429, title: 'Rate limit hit', isTransient: true }
const NO_TEMPLATE: MetaError = { status: 404, code: 132001, title: 'Template name does not exist in the translation' }
const WRONG_TEMPLATE: MetaError = { status: 400, code: 132012, title: 'Template parameter format mismatch' }
const NOT_SUPPORTED: MetaError = { status: 400, code: 131051, title: 'Unsupported message type' }
const NO_PERMISSION: MetaError = {
  status: 403,
  code: 10,
  title: 'Application does not have permission for this action',
}
/** The group does not exist, or the sender is not in it ("Groups API Error Codes"). */
const NO_GROUP: MetaError = { status: 400, code: 131041, title: 'Group unknown' }
const OTHER: MetaError = { status: 400, code: 100, title: 'Invalid parameter' }
const FAULT: MetaError = { status: 500, code: 131000, title: 'Something went wrong' }

const OF_CODE: Partial<Record<ErrorCode, MetaError>> = {
  missing_api_key: NO_TOKEN,
  invalid_api_key: NO_TOKEN,
  invalid_request: INVALID,
  not_found: { status: 400, code: 2500, title: 'Unknown path components' },
  sender_not_allowed: NO_PERMISSION,
  key_reads_only: NO_PERMISSION,
  group_unknown: NO_GROUP,
  recipient_opted_out: { status: 400, code: 131050, title: 'User has opted out of messages' },
  rate_limited: TOO_MANY,
  queue_full: UNWELL,
  shutting_down: UNWELL,
  storage_unavailable: UNWELL,
  storage_full: UNWELL,
  internal_error: FAULT,
}

/** Refuses a type of message that Kurir does not send. */
export const notSupported = (what: string, details: string): GatewayError<MetaError> =>
  new GatewayError(NOT_SUPPORTED, 'invalid_request', details, { details: [{ field: what, message: details }] })

/** Meta's answer where a sender is not in a group. */
export const groupUnknown = (details: string): GatewayError<MetaError> =>
  new GatewayError(NO_GROUP, 'group_unknown', details)

/** Meta's answer to an id that it does not know. */
export const unknownObject = (id: string): GatewayError<MetaError> =>
  new GatewayError(
    { status: 400, code: 100, subcode: 33, type: 'GraphMethodException', title: 'Unsupported post request' },
    'sender_not_found',
    `Object with ID '${id}' does not exist. Name a sender by its code, its number in digits or its id at Meta.`,
  )

function metaError(error: ApiError): MetaError {
  if (error instanceof GatewayError) return (error as GatewayError<MetaError>).own
  const { code, extras } = error
  const [first] = extras.details ?? []
  if (code === 'template_not_sendable') {
    return first?.field === 'template_name' || first?.field === 'language' ? NO_TEMPLATE : WRONG_TEMPLATE
  }
  if (code === 'invalid_request' && first?.code === 'required') return MISSING
  return OF_CODE[code] ?? OTHER
}

/** Returns the error that Meta itself gave for a message. */
const ofProvider = ({ code, error_subcode, message, is_transient, http_status }: ProviderError): MetaError => ({
  status: http_status ?? 400,
  code: Number(code ?? OTHER.code),
  title: message,
  ...(error_subcode === undefined ? {} : { subcode: error_subcode }),
  ...(is_transient ? { isTransient: true } : {}),
})

/** Answers an error in Meta's form. Programs look at its `code`. */
export function failure(error: ApiError): Reply {
  const { provider } = error.extras
  const { status, code, title, type, subcode, isTransient } =
    provider === undefined ? metaError(error) : ofProvider(provider)
  const body = {
    error: {
      message: `(#${code}) ${title}`,
      type: type ?? 'OAuthException',
      code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      ...(isTransient ? { is_transient: true } : {}),
      error_data: {
        messaging_product: 'whatsapp',
        // The caller knows Meta's name of the field.
        details: error.message.replaceAll('sender_code', 'phone_number_id'),
      },
      fbtrace_id: `A${randomUUID().replaceAll('-', '').slice(0, 22)}`,
    },
  }
  return new Reply(status, body, replyTo(error).headers)
}
