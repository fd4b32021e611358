import type { KnownCaller } from '../../access/keys.ts'
import { ApiError } from '../../contract/errors.ts'
import { NO_GROUPS } from '../../senders/pick.ts'
import type { SenderRow, SenderStore } from '../../store/index.ts'
import { pickNamed } from '../named-sender.ts'
import { groupUnknown, unknownObject } from './failure.ts'

type Kind = 'linked' | 'official'

/** Senders that an id names: by code, number or Meta's id. @throws ApiError where there is none */
function named(senders: SenderStore, id: string): SenderRow[] {
  const code = senders.byCode(id)
  const found =
    code === undefined
      ? senders.list().filter(({ phone, official }) => phone === id || official?.phone_number_id === id)
      : [code]
  if (found.length === 0) throw unknownObject(id)
  return found
}

/**
 * The sender of a message. A program has one id for all of its messages: where that is of a sender
 * of the other kind, the only one of this kind sends.
 * @throws ApiError
 */
export function senderOf(senders: SenderStore, caller: KnownCaller, id: string, kind: Kind): SenderRow {
  const found = named(senders, id).find((sender) => sender.kind === kind || sender.kind === 'sandbox')
  return pickNamed(senders, caller, found, kind)
}

/** The sender of a message to a group. @throws ApiError */
export function groupSenderOf(senders: SenderStore, caller: KnownCaller, id: string): SenderRow {
  try {
    return senderOf(senders, caller, id, 'linked')
  } catch (error) {
    const isOfficial = error instanceof ApiError && error.code === 'sender_kind_mismatch'
    throw isOfficial ? groupUnknown(`${id} is ${NO_GROUPS}.`) : error
  }
}

/** The sender that an id stands for. @throws ApiError */
export function anySenderOf(senders: SenderStore, caller: KnownCaller, id: string): SenderRow {
  const [first] = named(senders, id)
  return pickNamed(senders, caller, first, first?.kind === 'official' ? 'official' : 'linked')
}
