import { type Fault, metaError, ok } from './faults.ts'
import { parameterOf, type RecordedRequest } from './recorded.ts'
import type { PeerState } from './state.ts'

const MOST_TRIES = 10

export const isRegistered = (state: PeerState): boolean => state.number.platform_type === 'CLOUD_API'

/** Sets a number to its state after it was added and confirmed, but before registration. */
export function unregister(state: PeerState): void {
  Object.assign(state.number, { status: 'PENDING', platform_type: 'NOT_APPLICABLE' })
}

/** `POST /{phone_number_id}/register` */
export function register(state: PeerState, request: RecordedRequest): Fault {
  if (parameterOf(request, 'messaging_product') !== 'whatsapp') {
    return metaError(100, { message: '(#100) The parameter messaging_product is required.' })
  }
  const pin = parameterOf(request, 'pin')
  if (pin === '') return metaError(100, { message: '(#100) The parameter pin is required.' })
  if (!/^\d{6}$/.test(pin)) return metaError(100, { message: 'Invalid PIN format. PIN must be exactly 6 digits' })
  state.registerTries += 1
  if (state.registerTries > MOST_TRIES) return metaError(133016)
  if (state.number.code_verification_status === 'EXPIRED') return metaError(133006)
  if (state.pin !== null && state.pin !== pin) return metaError(133005)
  state.pin = pin
  Object.assign(state.number, { status: 'CONNECTED', platform_type: 'CLOUD_API' })
  return ok({ success: true })
}
