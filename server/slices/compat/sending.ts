import { setImmediate, setTimeout } from 'node:timers/promises'
import { ApiError } from '../../contract/errors.ts'
import { isGroupId, normalisePhone } from '../../contract/phone.ts'
import { type SendRequest, sendRequest } from '../../contract/send.ts'
import { refuseOtherBody, slotOf } from '../../http/idempotency.ts'
import { type KnownCaller, keyOf } from '../../http/keys.ts'
import { createCallReader } from '../../http/read-call.ts'
import { asApiError } from '../../http/response.ts'
import type { Call } from '../../http/route.ts'
import { SECOND } from '../../lib/clock.ts'
import { acceptMessage, IdempotencyKeyInUse, prepareMessage, RepeatedCall } from '../../messages/accept.ts'
import { withFile } from '../../messages/files.ts'
import type { ContactRow, IdempotencyRecord, IdempotencySlot, SenderRow } from '../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import { GatewayError, type MouthContext } from './mouth.ts'

/** Most recipients in one call. */
export const MOST_NUMBERS = 500
/** Requests read before other calls get a turn. 500 long texts take a tenth of a second. */
export const AT_A_STRETCH = 16
/**
 * An identical GET within this time returns the first message, because browsers, proxies and
 * libraries all repeat a GET. Milliseconds.
 */
const REPEATED_WITHIN = 10 * SECOND

const reader = createCallReader({ body: sendRequest })

/** Another gateway's names for fields of /send. */
export type Names = Readonly<
  Partial<Record<'phone' | 'group' | 'message' | 'file' | 'file_id' | 'filename' | 'send_at' | 'reference_id', string>>
>

/** Returns an error of /send with the field names that the program wrote. */
function renamed(error: unknown, names: Names): unknown {
  if (!(error instanceof ApiError) || error.code !== 'invalid_request' || error instanceof GatewayError) return error
  const nameOf = (field: string) => names[field as keyof Names] ?? field
  return invalidRequest(
    (error.extras.details ?? []).map((detail) => {
      const { field, code, values } = detail
      if (code === undefined) return { ...detail, field: nameOf(field) }
      // The message of /send for this problem also offers a data: address, which only /send takes.
      if (code === 'not_an_address') {
        return { field: nameOf(field), message: 'must be an http or https address without user name and password' }
      }
      const other = typeof values?.other === 'string' ? { other: nameOf(values.other) } : {}
      return fieldProblem(nameOf(field), code, values && { ...values, ...other })
    }),
  )
}

/** Runs `work` of /send. @throws ApiError with the program's field names */
export async function inWordsOf<T>(names: Names, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw renamed(error, names)
  }
}

/** Checks a body of /send. @throws ApiError `invalid_request` */
export const readSend = (body: Record<string, unknown>): SendRequest =>
  reader.read({ params: {}, query: {}, body }).body as SendRequest

/** Checks many bodies, and lets other calls run between them. @throws ApiError `invalid_request` */
export async function readEach(bodies: readonly Record<string, unknown>[]): Promise<SendRequest[]> {
  const requests: SendRequest[] = []
  for (const [at, body] of bodies.entries()) {
    if (at % AT_A_STRETCH === AT_A_STRETCH - 1) await setImmediate()
    requests.push(readSend(body))
  }
  return requests
}

/** Splits a list of numbers, and leaves each as written. @throws ApiError `invalid_request` */
export function splitNumbers(text: string, separator: RegExp | string, field: string): string[] {
  const written = text
    .split(separator)
    .map((each) => each.trim())
    .filter((each) => each !== '')
  if (written.length === 0) throw invalidRequest([fieldProblem(field, 'required')])
  if (written.length > MOST_NUMBERS) throw invalidRequest([fieldProblem(field, 'too_many', { max: MOST_NUMBERS })])
  return written
}

/** Removes WhatsApp's server name (`@c.us`, `@s.whatsapp.net`) from a number. */
export const withoutSuffix = (number: string): string => number.replace(/@(c\.us|s\.whatsapp\.net)$/i, '')

/** Returns a recipient as the field that /send has for it. */
export const addressed = (to: string): { phone: string } | { group: string } =>
  isGroupId(to) ? { group: to } : { phone: to }

/** True if WhatsApp has said that the number has no account. */
export const isKnownWrong = (contact: ContactRow | undefined): boolean =>
  contact !== undefined && contact.checkedAt > 0 && !contact.known && contact.jid === null

export interface Numbers {
  /** Normalised numbers, which keep a leading +, and group ids as written. */
  good: string[]
  /** One sentence about each refused number. */
  bad: string[]
}

/**
 * Normalises numbers and drops duplicates.
 * @param country country code that replaces a leading 0; null: none
 */
export function readNumbers(written: readonly string[], country: string | null): Numbers {
  const good = new Map<string, string>()
  const bad: string[] = []
  for (const number of written) {
    const read = normalisePhone(withoutSuffix(number), country)
    if (isGroupId(number)) good.set(number, number)
    else if (read.ok) good.set(read.phone, number.startsWith('+') ? `+${read.phone}` : read.phone)
    else bad.push(`${number}: ${fieldProblem('number', read.problem).message}`)
  }
  return { good: [...good.values()], bad }
}

export type SendingCall = Call<unknown, unknown, unknown, KnownCaller>

export interface Taken {
  seq: number
  id: string
  recipient: string
  request: SendRequest
}

export interface SendOptions {
  sender: SenderRow
  names: Names
  /** Names of members that had no effect. The message's page shows them. */
  ignored?: readonly string[]
}

/**
 * Returns the slot of a call's `Idempotency-Key`. Its hash covers the address too, because a GET
 * has its members there.
 */
function slotIn({ idempotency }: MouthContext, call: SendingCall): IdempotencySlot | undefined {
  const { url = '' } = call.req
  const raw = Buffer.concat([Buffer.from(`${url}\n`), call.raw])
  return slotOf(idempotency, { ...call, raw }, url.split('?', 1)[0] ?? '')
}

/**
 * Accepts messages one after the other. Accepted messages will be sent even if a later one is
 * refused, and the caller must know their ids, so this rejects only if none was accepted. Each
 * message has its own record under the call's `Idempotency-Key`: a repeated call accepts only the
 * messages that the first call did not get to.
 * @throws ApiError
 */
export async function acceptEach(
  context: MouthContext,
  call: SendingCall,
  requests: readonly SendRequest[],
  options: SendOptions,
): Promise<{ taken: Taken[]; refused: string[] }> {
  const taken: Taken[] = []
  const refused: string[] = []
  const { caller } = call
  const slot = slotIn(context, call)
  // Compares the bodies before anything is accepted: an earlier call under this key may have had
  // its first number refused and others accepted, so that only they have records.
  const kept = slot && (await context.idempotency.store.find(slot, slot.since))
  if (slot !== undefined && kept !== undefined) refuseOtherBody(kept, slot)
  for (const [n, request] of requests.entries()) {
    // The text is stored once for each recipient, so it counts as bytes of a body each time.
    const wait = context.pace(caller, Buffer.byteLength(request.message ?? ''))
    if (wait > 0) await setTimeout(wait)
    try {
      const place = slot && { ...slot, key: n === 0 ? slot.key : `${slot.key}\n${n}`, answer: null }
      taken.push(await acceptOne(context, call, request, options, place))
    } catch (error) {
      const isLast = request === requests.at(-1)
      const named = renamed(error, options.names)
      if (taken.length === 0 && (isLast || !(error instanceof ApiError))) throw named
      refused.push(`${request.group ?? request.phone}: ${asApiError(named, context.logger).message}`)
    }
  }
  return { taken, refused }
}

const messageRemoved = () =>
  new ApiError(
    'idempotency_conflict',
    'The message of this Idempotency-Key was accepted before, and has been deleted since. Use a new key for a new message.',
  )

function acceptOne(
  { messaging, idempotency: { store: calls } }: MouthContext,
  { caller, req, res }: SendingCall,
  request: SendRequest,
  { sender, ignored = [] }: SendOptions,
  place: IdempotencyRecord | undefined,
): Promise<Taken> {
  const key = keyOf(caller)
  async function firstOf(error: unknown): Promise<string | undefined> {
    if (error instanceof RepeatedCall) return error.id
    if (!(error instanceof IdempotencyKeyInUse) || place === undefined) return undefined
    const kept = await calls.find(place, place.since)
    if (kept !== undefined) refuseOtherBody(kept, place)
    return kept?.messageId ?? undefined
  }

  return withFile(messaging.files, request, key, async (attached) => {
    const asSent = { metadata: undefined, unknownMembers: ignored }
    const message = await prepareMessage(messaging, { sender, key }, request, asSent, attached)
    try {
      const isRepeatable = req.method === 'GET' && place === undefined
      const repeatedSince = isRepeatable ? message.createdAt - REPEATED_WITHIN : null
      const seq = await acceptMessage(messaging, message, { key, repeatedSince, idempotency: place })
      return { seq, id: message.id, recipient: message.recipient, request }
    } catch (error) {
      const id = await firstOf(error)
      if (id === undefined) throw error
      const first = await messaging.store.messages.find({ id })
      if (first === undefined) throw messageRemoved()
      if (place !== undefined) res.setHeader('idempotent-replayed', 'true')
      return { seq: first.seq, id: first.id, recipient: first.recipient, request }
    }
  })
}
