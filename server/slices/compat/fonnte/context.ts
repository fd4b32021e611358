import type { KnownCaller } from '../../../access/keys.ts'
import type { ApiError } from '../../../contract/errors.ts'
import { Reply } from '../../../http/route.ts'
import type { SenderRow } from '../../../store/index.ts'
import { mixedReader } from '../mixed-key.ts'
import { senderOfKey } from '../named-sender.ts'
import type { MouthContext } from '../sending.ts'
import { fonnteReason } from './requests.ts'

/**
 * Fonnte says everything with 200; its clients look at `status`, show `reason`, and compare it with
 * the texts that they know.
 */
export const failure = (error: ApiError): Reply => {
  const reason = fonnteReason(error)
  return new Reply(200, { status: false, reason: reason ?? error.message, ...(reason && { detail: error.message }) })
}

/** Parts that all routes have. */
export const commonOf = ({ isOn, keysFromLan }: MouthContext) => ({
  tag: 'Fonnte',
  auth: 'key' as const,
  isOn,
  failure,
  readMixed: mixedReader({ names: ['token'], keysFromLan }),
})

/** Parts of a call by POST; its body may be left out, as programs do that ask for a state. */
export const postTo = (context: MouthContext, call: string) => ({
  ...commonOf(context),
  method: 'POST' as const,
  path: `/compat/fonnte/${call}`,
})

/** The sender of a key, as a device of Fonnte. @throws ApiError */
export const senderOf = ({ messaging }: MouthContext, caller: KnownCaller): SenderRow =>
  senderOfKey(messaging.store.senders, caller)
