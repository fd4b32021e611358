import type { z } from 'zod'
import type { ApiError } from '../../../contract/errors.ts'
import { isGroupId, normalisePhone } from '../../../contract/phone.ts'
import type { ConnectionState } from '../../../contract/senders.ts'
import { type KnownCaller, keyOf, reaches } from '../../../http/keys.ts'
import { replyTo } from '../../../http/response.ts'
import { Reply } from '../../../http/route.ts'
import { STATUS_CODES } from '../../../lib/node-http.ts'
import { pickSender } from '../../../senders/pick.ts'
import type { KeyRow, SenderRow, SenderStore } from '../../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { GatewayError, type MouthContext, pickNamed } from '../mouth.ts'
import { type WAHA_STATUSES, wahaFailure, type wahaSession } from './contract.ts'

/** HTTP status that WAHA has for an error, in place of Kurir's. */
interface OwnStatus {
  status: number
}

/** WAHA's answer to what an engine cannot do ("NotImplementedByEngineError" in its source). */
export const cannot = (field: string, message: string): GatewayError<OwnStatus> =>
  new GatewayError({ status: 422 }, 'invalid_request', `Kurir cannot do this. ${field}: ${message}`, {
    details: [{ field, message }],
  })

/** WAHA's words for a session that it does not know. */
const noSession = (name: string): GatewayError<OwnStatus> =>
  new GatewayError(
    { status: 404 },
    'sender_not_found',
    `We didn't find a session with name '${name}'.\nPlease name a sender by its code, or leave "default".`,
  )

/** Answers an error in the form of NestJS, in which WAHA is written. */
function failure(error: ApiError): Reply {
  const status = error instanceof GatewayError ? (error as GatewayError<OwnStatus>).own.status : error.status
  const { headers } = replyTo(error)
  // The caller knows WAHA's name of the field.
  const message = error.message.replaceAll('sender_code', 'session')
  const body =
    status === 401
      ? { message: `Unauthorized. ${message}`, statusCode: status }
      : { message, error: STATUS_CODES[status] ?? 'Error', statusCode: status }
  return new Reply(status, body, headers)
}

export const personOf = (phone: string): string => `${phone}@c.us`

const chatOf = (recipient: string): string => (isGroupId(recipient) ? recipient : personOf(recipient))

/** Endings of chat ids that name neither a person's number nor a group, and what to say of them. */
const OTHERS: Readonly<Record<string, string>> = {
  lid: 'write to the number, not to a hidden id',
  newsletter: 'channels are not possible',
  broadcast: 'a status is not possible',
}

/** Returns the number of the person in a chat id. @throws ApiError for other kinds of chats */
export function phoneOf(chatId: string, { settings }: SenderRow, field = 'chatId'): string {
  const [, number = '', end] = /^([^@]*)(?:@(.*))?$/s.exec(chatId.trim().toLowerCase()) ?? []
  const why = OTHERS[end ?? '']
  if (why !== undefined) throw cannot(field, why)
  if (end !== undefined && end !== 'c.us' && end !== 's.whatsapp.net') {
    throw invalidRequest([fieldProblem(field, 'wrong_form', { example: '6281234567890@c.us' })])
  }
  const read = normalisePhone(number, settings.country_code)
  if (!read.ok) throw invalidRequest([fieldProblem(field, read.problem)])
  return read.phone
}

/** Returns the recipient of a chat id as a field of /send. @throws ApiError */
export function recipientOf(chatId: string, sender: SenderRow, field?: string): { group: string } | { phone: string } {
  const chat = chatId.trim().toLowerCase()
  return isGroupId(chat) ? { group: chat } : { phone: phoneOf(chat, sender, field) }
}

/**
 * Returns the parts of WAHA's id of a message from Kurir. It is made from Kurir's own id, because
 * WhatsApp's is unknown until the message leaves, and a retry may have another.
 */
export function messageIdOf(message: { id: string; recipient: string }) {
  const id = message.id.replaceAll('-', '').toUpperCase()
  const remote = chatOf(message.recipient)
  return { fromMe: true as const, remote, id, _serialized: `true_${remote}_${id}` }
}

const DEFAULT = 'default'
/** The version of WAHA whose calls Kurir takes. Some programs need a certain version. */
export const WAHA_VERSION = '2026.7.1'
/** WAHA's tier that sends files. */
export const TIER = 'PLUS'
/** WAHA's engine for linked numbers that uses no browser. */
export const ENGINE = 'NOWEB'

const STATUSES: Readonly<Record<ConnectionState, (typeof WAHA_STATUSES)[number]>> = {
  unlinked: 'SCAN_QR_CODE',
  linking: 'SCAN_QR_CODE',
  connecting: 'STARTING',
  connected: 'WORKING',
  offline: 'STARTING',
  logged_out: 'FAILED',
  replaced: 'STOPPED',
  restricted: 'FAILED',
}

export const statusOf = (state: ConnectionState) => STATUSES[state]

export const meOf = ({ phone, settings }: SenderRow) =>
  phone === null ? null : { id: personOf(phone), pushName: settings.name }

const isSession = ({ kind }: SenderRow): boolean => kind !== 'official'

/** Returns a sender's session name: `default` for the key's sender and for the only linked one. */
export function sessionName(senders: SenderStore, sender: SenderRow, key: KeyRow | null): string {
  if (key?.kind === 'device') return key.senderId === sender.id ? DEFAULT : sender.code
  const linked = senders.list().filter(({ kind }) => kind === 'linked')
  return linked.length === 1 && linked[0]?.id === sender.id ? DEFAULT : sender.code
}

/** Returns the sender that a call names as its session. @throws ApiError */
export function senderOf(senders: SenderStore, caller: KnownCaller, session = DEFAULT): SenderRow {
  if (session === DEFAULT || session === '') return pickSender(senders, keyOf(caller), undefined, 'linked')
  const named = senders.byCode(session)
  if (named === undefined) throw noSession(session)
  return pickNamed(senders, caller, named, 'linked')
}

export const sessionView = (senders: SenderStore, caller: KnownCaller, sender: SenderRow) => ({
  name: sessionName(senders, sender, keyOf(caller)),
  status: statusOf(sender.state),
  config: {},
  me: meOf(sender),
  engine: { engine: ENGINE },
})

export const sessionsOf = (senders: SenderStore, caller: KnownCaller): z.output<typeof wahaSession>[] =>
  senders
    .list()
    .filter((sender) => isSession(sender) && reaches(caller, sender.id))
    .map((sender) => sessionView(senders, caller, sender))

export const API = '/compat/waha/api'

export const commonOf = (isOn: MouthContext['isOn']) => ({
  tag: 'WAHA',
  auth: 'key' as const,
  otherAnswers: [
    { status: 422, description: 'Not supported by Kurir: error in the format of WAHA.', schema: wahaFailure },
  ],
  failure,
  isOn,
})

export const isEmpty = (value: unknown): boolean =>
  value == null || value === '' || value === false || (Array.isArray(value) && value.length === 0)
