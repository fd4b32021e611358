import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { ApiError, type ErrorCode, type ErrorExtras } from '../../contract/errors.ts'
import type { EventName } from '../../contract/webhooks.ts'
import { isLocal, isNearby, secretIn } from '../../http/auth.ts'
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

/** Dependencies of every mouth. Calls in another gateway's form are accepted as /send accepts. */
export interface MouthContext {
  messaging: MessageContext
  readForm: FormReader
  pace: BodyReader['pace']
  idempotency: Idempotency
  /** True if the owner switched this mouth on. */
  isOn: () => boolean
  /** True if programs on other PCs of the network may put their key in an address or a form. */
  keysFromLan: () => boolean
  templates: TemplatesPort
  random: () => number
  logger: Logger
}

/** An API in the form of another gateway, for programs that were written for that gateway. */
export interface Mouth extends Gateway {
  mouth: { switch: string; path: string }
  routes(context: MouthContext): Route[]
  /** The gateway's form of callbacks, and the name by which endpoints choose it. Absent: none. */
  callbacks?: { name: string; format: (senders: SenderStore) => CallbackFormat }
}

/** Message events that the callbacks of every gateway report. */
export const MESSAGE_EVENTS: readonly EventName[] = [
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.cancelled',
  'message.received',
]

/** Events about a sender's link to WhatsApp. */
export const LINK_EVENTS: readonly EventName[] = ['sender.linked', 'sender.disconnected', 'sender.unlinked']

/** An error for which the imitated gateway has a status or words of its own, kept in `own`. */
export class GatewayError<T> extends ApiError {
  readonly own: T

  constructor(own: T, code: ErrorCode, message: string, extras?: ErrorExtras) {
    super(code, message, extras)
    this.own = own
  }
}

/**
 * Returns the sender of a call that names one in its gateway's words. A sandbox's key always gets
 * the sandbox: in a rehearsal it replaces whichever sender the program names.
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
 * Returns the linked sender of a call in whose form no sender can be named.
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
 * Refuses a key among the members of a call unless a program on this PC sent it, or one on its
 * network if the owner allows that. Keys in addresses get into histories and links, and a web page
 * could send them.
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

/** Member for an uploaded part `file`, for gateways that take files by address only. */
export const noFileAlong = z
  .string()
  .max(64)
  .describe('Not supported: a file cannot be uploaded here. Give its URL.')
  .optional()

/** @throws ApiError if a file was uploaded, because the message would leave without it */
export function refuseFileAlong({ file_id }: { file_id?: string | undefined }): void {
  if (file_id !== undefined)
    throw invalidRequest([{ field: 'file', message: 'cannot be sent along here: put it at an address and send that' }])
}

interface MixedKey {
  /** Members of the query or body that may hold the key. */
  names: readonly string[]
  /** True if programs on other PCs of the network may put a key there too. */
  keysFromLan: () => boolean
  /** Reads a body that may hold the key. Undefined: the key is never in the body. */
  readForm?: FormReader | undefined
  /** Cuts the key out of the text that a program sends as its key. Default: all of the text. */
  keyIn?: (text: string) => string
}

/** Returns a reader of calls that hold their key in the address, in the body or in a header. */
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
    // Express gives HEAD to the GET route, which would send.
    if (req.method === 'HEAD') throw new ApiError('method_not_allowed', 'HEAD is not possible here. Use GET or POST.')
    const query = readQuery(req)
    const inAddress = among(query)
    const { authorization } = req.headers
    if (inAddress.length > 0) {
      refuseFromElsewhere(req, keysFromLan)
      return { secrets: inAddress, query, form: undefined }
    }
    if (authorization !== undefined || req.headers['x-api-key'] !== undefined) {
      const secret = secretIn(authorization)
      return { secrets: secret === undefined ? [] : [keyIn(secret)], query, form: undefined }
    }
    if (readForm === undefined || req.method !== 'POST') return { secrets: [], query, form: undefined }
    refuseFromElsewhere(req, keysFromLan)
    const form = await readForm.readOfUnknown(req)
    return { secrets: among(form.body), query, form }
  }
}
