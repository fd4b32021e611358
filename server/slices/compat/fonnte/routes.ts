import { ApiError } from '../../../contract/errors.ts'
import { type KnownCaller, reaches, reachesMessage } from '../../../http/keys.ts'
import { defineRoute, Reply, type Route } from '../../../http/route.ts'
import { cancelMessage, changeMessage } from '../../../messages/actions.ts'
import { groupsOf } from '../../../messages/groups.ts'
import type { Message, SenderRow } from '../../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { type MouthContext, mixedReader, senderOfKey } from '../mouth.ts'
import { acceptEach, inWordsOf, isKnownWrong, type SendingCall } from '../sending.ts'
import { fonnteStatus } from './callbacks.ts'
import {
  type FonnteResetRequest,
  type FonnteSendRequest,
  fonnteCallParams,
  fonnteDevice,
  fonnteDevices,
  fonnteDone,
  fonnteFailure,
  fonnteGroups,
  fonnteIdRequest,
  fonnteResetRequest,
  fonnteSendQuery,
  fonnteSendRequest,
  fonnteSent,
  fonnteStatusAnswer,
  fonnteValidated,
  fonnteValidateRequest,
} from './contract.ts'
import { FONNTE_NAMES, fonnteReason, gapOf, requestsOf, scheduleOf, targetsOf } from './requests.ts'

/**
 * Answers errors with 200, as Fonnte does. Its clients look at `status`, and show `reason` or
 * compare it with Fonnte's texts.
 */
const failure = (error: ApiError): Reply => {
  const reason = fonnteReason(error)
  return new Reply(200, { status: false, reason: reason ?? error.message, ...(reason && { detail: error.message }) })
}

const commonOf = ({ isOn, keysFromLan }: MouthContext) => ({
  tag: 'Fonnte',
  auth: 'key' as const,
  isOn,
  failure,
  readMixed: mixedReader({ names: ['token'], keysFromLan }),
})

const postTo = (context: MouthContext, call: string) => ({
  ...commonOf(context),
  method: 'POST' as const,
  path: `/compat/fonnte/${call}`,
})

/** Returns the sender of a key, which to Fonnte is the key's device. @throws ApiError */
const senderOf = ({ messaging }: MouthContext, caller: KnownCaller): SenderRow =>
  senderOfKey(messaging.store.senders, caller)

/** Routes for sending by form, JSON or address. */
function sendingRoutes(context: MouthContext): Route[] {
  async function send(body: FonnteSendRequest, call: SendingCall) {
    const sender = senderOf(context, call.caller)
    // No chance for a GET: a repeat is recognised only if its messages have the same times.
    const random = call.req.method === 'GET' ? () => 0.5 : context.random
    const { requests, bad } = await requestsOf(body, { now: context.messaging.now(), random })
    if (requests.length === 0) throw invalidRequest([{ field: 'target', message: bad.join('; ') }])
    const ignored = body.inboxid ? ['inboxid'] : []
    const { taken, refused } = await acceptEach(context, call, requests, { sender, names: FONNTE_NAMES, ignored })
    const others = [...bad, ...refused]
    const remarks = [
      ...(others.length === 0 ? [] : [`Not taken: ${others.join('; ')}`]),
      ...(sender.state === 'connected' ? [] : ['The device is not connected: the message waits']),
      ...(ignored.length === 0 ? [] : ['inboxid had no effect: nothing is quoted']),
    ]
    return {
      status: true as const,
      detail: ['success! message in queue', ...remarks].join('. '),
      process: requests.every(({ send_at }) => send_at !== undefined) ? ('waiting' as const) : ('pending' as const),
      requestid: taken[0]?.seq ?? 0,
      id: taken.map(({ seq }) => String(seq)),
      target: taken.map(({ recipient }) => recipient),
    }
  }

  return [
    defineRoute({
      ...commonOf(context),
      failsBelow: '/compat/fonnte',
      method: 'GET',
      path: '/compat/fonnte/send',
      summary: 'Send a message by GET (Fonnte format)',
      description:
        'Kurir accepts an API key in the query string from programs on this PC only, unless the owner allows others. The same text to the same number within 10 seconds counts as a repetition and is not sent again.',
      query: fonnteSendQuery,
      once: true,
      answer: fonnteSent,
      handler: (call) => send(call.query, call),
    }),
    defineRoute({
      ...postTo(context, 'send'),
      summary: 'Send messages (Fonnte format)',
      description:
        "Accepts Fonnte's fields, as a form or JSON, and responds in Fonnte's format, always with HTTP status 200. The API key is in the header `Authorization`, without `Bearer`. These routes are unavailable until the owner switches them on in the settings.",
      body: fonnteSendRequest,
      bodyOptional: true,
      once: true,
      form: context.readForm,
      answer: fonnteSent,
      handler: (call) => send(call.body, call),
    }),
  ]
}

/** Routes for one message, which the caller names by its number. */
function messageRoutes(context: MouthContext): Route[] {
  const { messaging } = context
  const { now } = messaging
  const named = { bodyOptional: true as const, form: context.readForm }

  /** @throws ApiError with these words if the key reaches no such message */
  async function find(id: string | undefined, caller: KnownCaller, words: string): Promise<Message> {
    const seq = /^\s*(\d{1,15})\s*$/.exec(id ?? '')?.[1]
    const message = seq === undefined ? undefined : await messaging.store.messages.find({ seq: Number(seq) })
    if (message !== undefined && reachesMessage(caller, message)) return message
    throw new ApiError('message_not_found', (id ?? '').trim() === '' ? 'id required' : words)
  }

  /** Runs `work` on a waiting message. The error for any other names its status, as Fonnte does. */
  async function act(what: 'delete' | 'reset', message: Message, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error
      throw new ApiError(error.code, `cannot ${what} message with status ${fonnteStatus(message, now())}`)
    }
  }

  /** Returns the new time of a message, as ISO 8601. @throws ApiError `invalid_request` */
  function newTime({ delay, schedule, byschedule }: FonnteResetRequest): string {
    if (/^(true|1)$/i.test(byschedule ?? '')) {
      throw invalidRequest([{ field: 'byschedule', message: 'is not possible: name one message after the other' }])
    }
    if (!delay && !schedule) throw invalidRequest([fieldProblem('schedule', 'required')])
    const at = scheduleOf(schedule || undefined, now()) + gapOf(delay, context.random) * 1000
    return new Date(at).toISOString()
  }

  return [
    defineRoute({
      ...postTo(context, 'status'),
      ...named,
      summary: 'Get the status of a message (Fonnte format)',
      description:
        '`message_status` is `sent`, `pending`, `waiting` (scheduled for later), `processing`, `invalid`, `expired` (also for a cancelled message) or `url unreachable`.',
      body: fonnteIdRequest,
      answer: fonnteStatusAnswer,
      handler: async ({ body: { id }, caller }) => {
        const message = await find(id, caller, 'invalid id')
        return { status: true as const, id: message.seq, message_status: fonnteStatus(message, now()) }
      },
    }),
    defineRoute({
      ...postTo(context, 'delete-message'),
      ...named,
      summary: 'Cancel a waiting message (Fonnte format)',
      description: "A message that has already been sent is not deleted at the recipient's.",
      body: fonnteIdRequest,
      answer: fonnteDone,
      handler: async ({ body: { id }, caller }) => {
        const message = await find(id, caller, 'invalid message id')
        await act('delete', message, () => cancelMessage(messaging, message.id))
        return { status: true as const, detail: `message ${message.seq} successfully deleted` }
      },
    }),
    defineRoute({
      ...postTo(context, 'reset-message'),
      ...named,
      summary: 'Move a waiting message to another time (Fonnte format)',
      description: 'Moves one message at a time, identified by its id from the response of `/send`.',
      body: fonnteResetRequest,
      answer: fonnteDone,
      handler: async ({ body, caller }) => {
        const message = await find(body.id, caller, 'invalid message id')
        const send_at = newTime(body)
        await act('reset', message, () =>
          inWordsOf(FONNTE_NAMES, () => changeMessage(messaging, message.id, { send_at })),
        )
        return { status: true as const, detail: `message ${message.seq} successfully rescheduled` }
      },
    }),
  ]
}

/**
 * Limits that Fonnte reports and Kurir does not have. Programs rely on the quota. The answers'
 * `messages` is always 0, because only the owner may see figures.
 */
const UNLIMITED = { package: 'Kurir', quota: '999999', expired: '4070908800' }

const deviceOf = ({ phone, code, settings, state }: SenderRow) => ({
  device: phone ?? code,
  name: settings.name,
  status: state === 'connected' ? ('connect' as const) : ('disconnect' as const),
})

/** Routes about senders, groups and recipients' numbers. */
function deviceRoutes(context: MouthContext): Route[] {
  const { readForm } = context
  const { senders, contacts, groups } = context.messaging.store

  /** Asks nobody: a number counts as registered unless WhatsApp has said otherwise before. */
  async function validate(sender: SenderRow, phones: string[]) {
    const known = await Promise.all(phones.map((phone) => contacts.get(sender.id, phone)))
    return {
      registered: phones.filter((_, at) => !isKnownWrong(known[at])),
      wrong: phones.filter((_, at) => isKnownWrong(known[at])),
    }
  }

  return [
    defineRoute({
      ...postTo(context, 'validate'),
      summary: 'Check whether numbers are on WhatsApp (Fonnte format)',
      description:
        'Kurir does not ask WhatsApp: a number counts as registered unless WhatsApp has said otherwise before.',
      body: fonnteValidateRequest,
      bodyOptional: true,
      form: readForm,
      answer: fonnteValidated,
      handler: async ({ body, caller }) => {
        const sender = senderOf(context, caller)
        const { good, bad } = targetsOf(body.target, body.countryCode)
        // Groups are left out: they have no number to look up.
        const phones = good.flatMap(({ to }) => ('phone' in to ? [to.phone.replace('+', '')] : []))
        const { registered, wrong } = await validate(sender, phones)
        return {
          status: true as const,
          registered,
          not_registered: [...wrong, ...bad.map(({ written }) => written)],
        }
      },
    }),
    defineRoute({
      ...postTo(context, 'device'),
      summary: 'Get the sender of the API key (Fonnte format)',
      description: 'Returns the phone number and state of the sender as a device of Fonnte.',
      answer: fonnteDevice,
      handler: ({ caller }) => {
        const { device, name, status } = deviceOf(senderOf(context, caller))
        return { status: true as const, device, device_status: status, name, ...UNLIMITED, messages: 0 }
      },
    }),
    defineRoute({
      ...postTo(context, 'get-devices'),
      summary: 'List the senders of the API key (Fonnte format)',
      description: 'Returns the names and states of the senders as devices of Fonnte, without their keys.',
      answer: fonnteDevices,
      handler: ({ caller }) => {
        const reached = senders.list().filter(({ id, kind }) => kind !== 'official' && reaches(caller, id))
        const none = { autoread: 'off' as const, token: '' as const }
        const data = reached.map((sender) => ({ ...deviceOf(sender), ...UNLIMITED, ...none }))
        const connected = data.filter(({ status }) => status === 'connect').length
        return { status: true as const, connected, devices: data.length, messages: 0, type: 'device' as const, data }
      },
    }),
    defineRoute({
      ...postTo(context, 'fetch-group'),
      summary: 'Update the list of groups (Fonnte format)',
      description: 'Accepted without an effect: Kurir always keeps its list of groups up to date.',
      answer: fonnteDone,
      handler: () => ({ status: true as const, detail: 'update whatsapp group list' }),
    }),
    defineRoute({
      ...postTo(context, 'get-whatsapp-group'),
      summary: 'List the groups of the sender (Fonnte format)',
      description: 'Returns the ids and names of the groups. The list is empty if the sender is in no group.',
      answer: fonnteGroups,
      handler: async ({ caller }) => ({
        status: true as const,
        detail: 'success get whatsapp group list',
        data: (await groupsOf(groups, senderOf(context, caller))).map(({ jid, name }) => ({ id: jid, name })),
      }),
    }),
  ]
}

export const fonnteRoutes = (context: MouthContext): Route[] => [
  ...sendingRoutes(context),
  ...messageRoutes(context),
  ...deviceRoutes(context),
  defineRoute({
    ...postTo(context, '{call}'),
    summary: 'Refuse any other call of Fonnte',
    description: "Devices, QR codes and other settings are managed in Kurir's window.",
    params: fonnteCallParams,
    answer: fonnteFailure,
    handler: ({ params: { call } }) => {
      throw new ApiError('not_found', `${call} is not possible here: it is done in Kurir's window`)
    },
  }),
]
