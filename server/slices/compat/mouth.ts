import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { ApiError, type ErrorCode, type ErrorExtras } from '../../contract/errors.ts'
import type { EventName } from '../../contract/webhooks.ts'
import { isLocal, isNearby } from '../../http/auth.ts'
import type { BodyReader } from '../../http/body.ts'
import { type FormReader, readQuery } from '../../http/form.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { type KnownCaller, keyOf } from '../../http/keys.ts'
import type { Gateway } from '../../http/outline.ts'
import type { Route } from '../../http/route.ts'
import type { Logger } from '../../lib/logger.ts'
import type { MessageContext } from '../../messages/context.ts'
import { ownSender, pickSender } from '../../senders/pick.ts'
import type { TemplatesPort } from '../../senders/ports.ts'
import type { SenderRow, SenderStore } from '../../store/index.ts'
import type { CallbackFormat } from '../../webhooks/callback.ts'
import { invalidRequest } from '../../words/errors.ts'

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
  return own?.kind === 'sandbox' ? own : pickSender(senders, key, named?.code, kind)
}

/**
 * The linked sender of a call whose program can name none.
 * @throws ApiError
 */
export function senderOfKey(senders: SenderStore, caller: KnownCaller): SenderRow {
  try {
    return pickSender(senders, keyOf(caller), undefined, 'linked')
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'sender_code_required') throw error
    throw new ApiError(
      error.code,
      'This key does not say which number sends: use a key for one sender. Link a number first if there is none.',
    )
  }
}

/**
 * Lets in a key that stands among the members of a call. Such a key is in histories and links, and
 * a web page may send it, so that only programs of this PC may, or of its network where the owner
 * allows that too.
 * @throws ApiError
 */
function refuseFromElsewhere(req: IncomingMessage, keysFromLan: () => boolean): void {
  const { origin, referer } = req.headers
  if (!isLocal(req) && !(keysFromLan() && isNearby(req))) {
    throw new ApiError(
      'invalid_api_key',
      'A key in an address or a form is taken from programs on this PC only. From elsewhere send it as "Authorization: Bearer <API_KEY>".',
    )
  }
  if (origin !== undefined || referer !== undefined || (req.headers['sec-fetch-site'] ?? 'none') !== 'none') {
    throw new ApiError('invalid_api_key', 'A key in an address or a form is not taken from a web page.')
  }
}

/** Member for the part `file` of a form where a gateway takes files by their address alone. */
export const noFileAlong = z
  .string()
  .max(64)
  .describe('Not supported: a file cannot be uploaded here. Give its URL.')
  .optional()

/** @throws ApiError where a file was sent along: it would be a message without its file */
export function refuseFileAlong({ file_id }: { file_id?: string | undefined }): void {
  if (file_id !== undefined)
    throw invalidRequest([{ field: 'file', message: 'cannot be sent along here: put it at an address and send that' }])
}

interface MixedKey {
  /** Members that may hold the key. */
  names: readonly string[]
  /** True if programs of other PCs on the network may put a key there too. */
  keysFromLan: () => boolean
  /** Reads a body in which the key may stand; undefined: it never does. */
  readForm?: FormReader | undefined
  /** The key within what stands in its place. */
  keyIn?: (text: string) => string
}

/** Reads calls whose key stands in the address, in the body, or as usual in a header. */
export function mixedReader({
  names,
  keysFromLan,
  readForm,
  keyIn = (text) => text,
}: MixedKey): NonNullable<Route['readMixed']> {
  const among = (members: unknown): string[] => {
    const given = typeof members === 'object' && members !== null ? (members as Record<string, unknown>) : {}
    return names.flatMap((name) => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined
      return typeof value === 'string' && value !== '' ? [keyIn(value)] : []
    })
  }

  return async (req) => {
    // Express takes it for a GET, which would send.
    if (req.method === 'HEAD') throw new ApiError('method_not_allowed', 'HEAD is not possible here. Use GET or POST.')
    const query = readQuery(req)
    const inAddress = among(query)
    const { authorization } = req.headers
    if (inAddress.length > 0) {
      refuseFromElsewhere(req, keysFromLan)
      return { secrets: inAddress, query, form: undefined }
    }
    if (authorization !== undefined || req.headers['x-api-key'] !== undefined) {
      const word = /^(?:Bearer +)?(\S+)$/i.exec(authorization ?? '')?.[1]
      return { secrets: word === undefined ? [] : [keyIn(word)], query, form: undefined }
    }
    if (readForm === undefined || req.method !== 'POST') return { secrets: [], query, form: undefined }
    refuseFromElsewhere(req, keysFromLan)
    const form = await readForm.readOfUnknown(req)
    return { secrets: among(form.body), query, form }
  }
}
