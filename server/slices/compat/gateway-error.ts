import { ApiError, type ErrorCode, type ErrorExtras } from '../../contract/errors.ts'

/** An error for which the gateway of a mouth has a status or words of its own. */
export class GatewayError<T> extends ApiError {
  readonly own: T

  constructor(own: T, code: ErrorCode, message: string, extras?: ErrorExtras) {
    super(code, message, extras)
    this.own = own
  }
}
