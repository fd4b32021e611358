import { type KnownCaller, keyOf } from '../../access/keys.ts'
import { ApiError } from '../../contract/errors.ts'
import { ownSender, pickSender } from '../../senders/pick.ts'
import type { SenderRow, SenderStore } from '../../store/index.ts'

/**
 * The sender of a call whose program names one in the words of its gateway. With a key of a sandbox
 * it is a rehearsal: the sandbox stands for every sender that there is.
 * @throws ApiError
 */
export function pickNamed(
  senders: SenderStore,
  caller: KnownCaller,
  named: SenderRow | undefined,
  kind: 'linked' | 'official',
): SenderRow {
  const key = keyOf(caller)
  const own = key?.kind === 'device' ? ownSender(senders, key) : undefined
  return own?.kind === 'sandbox' ? own : pickSender(senders, caller, named?.code, kind)
}

/**
 * The linked sender of a call whose program can name none.
 * @throws ApiError
 */
export function senderOfKey(senders: SenderStore, caller: KnownCaller): SenderRow {
  try {
    return pickSender(senders, caller, undefined, 'linked')
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'sender_code_required') throw error
    throw new ApiError(
      error.code,
      'This key does not say which number sends: use a key for one sender. Link a number first if there is none.',
    )
  }
}
