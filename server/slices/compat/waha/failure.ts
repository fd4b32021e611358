import type { ApiError } from '../../../contract/errors.ts'
import { replyTo } from '../../../http/response.ts'
import { Reply } from '../../../http/route.ts'
import { STATUS_CODES } from '../../../lib/node-http.ts'
import { GatewayError } from '../gateway-error.ts'

/** An error for which WAHA has another status. */
interface OwnStatus {
  status: number
}

/** WAHA's answer to what an engine cannot do ("NotImplementedByEngineError" in its source). */
export const cannot = (field: string, message: string): GatewayError<OwnStatus> =>
  new GatewayError({ status: 422 }, 'invalid_request', `Kurir cannot do this. ${field}: ${message}`, {
    details: [{ field, message }],
  })

/** WAHA's words for a session that it does not know. */
export const noSession = (name: string): GatewayError<OwnStatus> =>
  new GatewayError(
    { status: 404 },
    'sender_not_found',
    `We didn't find a session with name '${name}'.\nPlease name a sender by its code, or leave "default".`,
  )

/** The form of errors of NestJS, in which WAHA is written. */
export function failure(error: ApiError): Reply {
  const status = error instanceof GatewayError ? (error as GatewayError<OwnStatus>).own.status : error.status
  const { headers } = replyTo(error)
  // The fields are WAHA's.
  const message = error.message.replaceAll('sender_code', 'session')
  const body =
    status === 401
      ? { message: `Unauthorized. ${message}`, statusCode: status }
      : { message, error: STATUS_CODES[status] ?? 'Error', statusCode: status }
  return new Reply(status, body, headers)
}
