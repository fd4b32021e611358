import { type KnownCaller, keyOf } from '../../access/keys.ts'
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
