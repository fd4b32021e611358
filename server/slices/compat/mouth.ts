import { type KnownCaller, keyOf } from '../../access/keys.ts'
import { ApiError, type ErrorCode, type ErrorExtras } from '../../contract/errors.ts'
import type { EventName } from '../../contract/webhooks.ts'
import type { BodyReader } from '../../http/body.ts'
import type { FormReader } from '../../http/form.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Gateway } from '../../http/outline.ts'
import type { Route } from '../../http/route.ts'
import type { Logger } from '../../lib/logger.ts'
import type { MessageContext } from '../../messages/context.ts'
import type { TemplatesPort } from '../../senders/official.ts'
import { ownSender, pickSender } from '../../senders/pick.ts'
import type { SenderRow, SenderStore } from '../../store/index.ts'
import type { CallbackFormat } from '../../webhooks/callback.ts'

/** Context of every mouth: what programs written for another gateway send goes the way of /send. */
export interface MouthContext {
  messaging: MessageContext
  readForm: FormReader
  pace: BodyReader['pace']
  idempotency: Idempotency
  /** True if the owner switched it on. */
  isOn: () => boolean
  /** True if programs of other PCs on the network may put their key in an address. */
  keysFromLan: () => boolean
  templates: TemplatesPort
  random: () => number
  logger: Logger
}

/** Answers programs that were written for another gateway as that gateway does. */
export interface Mouth extends Gateway {
  mouth: { switch: string; path: string }
  routes(context: MouthContext): Route[]
  /** Its form of callbacks, with the name by which endpoints choose it; absent: it has none. */
  callbacks?: { name: string; format: (senders: SenderStore) => CallbackFormat }
}

/** Events of messages that every gateway's callbacks tell. */
export const MESSAGE_EVENTS: readonly EventName[] = [
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.cancelled',
  'message.received',
]

/** Events of the link of a sender. */
export const LINK_EVENTS: readonly EventName[] = ['sender.linked', 'sender.disconnected', 'sender.unlinked']

/** An error for which the gateway of a mouth has a status or words of its own. */
export class GatewayError<T> extends ApiError {
  readonly own: T

  constructor(own: T, code: ErrorCode, message: string, extras?: ErrorExtras) {
    super(code, message, extras)
    this.own = own
  }
}

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
