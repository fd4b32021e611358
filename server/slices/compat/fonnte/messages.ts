import { type KnownCaller, reachesMessage } from '../../../access/keys.ts'
import { ApiError } from '../../../contract/errors.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { cancelMessage, changeMessage } from '../../../messages/actions.ts'
import type { Message } from '../../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { acceptEach, type MouthContext } from '../sending.ts'
import { commonOf, postTo, senderOf } from './context.ts'
import {
  type FonnteResetRequest,
  type FonnteSendRequest,
  fonnteDone,
  fonnteIdRequest,
  fonnteResetRequest,
  fonnteSendQuery,
  fonnteSendRequest,
  fonnteSent,
  fonnteStatusAnswer,
} from './contract.ts'
import { gapOf, requestsOf, scheduleOf } from './requests.ts'
import { fonnteStatus } from './status.ts'

/** Sending, by form, JSON or address. */
export function fonnteSending(context: MouthContext): Route[] {
  async function send(body: FonnteSendRequest, caller: KnownCaller, isRepeatable: boolean) {
    const sender = senderOf(context, caller)
    const { requests, bad } = await requestsOf(body, { now: context.messaging.now(), random: context.random })
    if (requests.length === 0) throw invalidRequest([{ field: 'target', message: bad.join('; ') }])
    const ignored = body.inboxid ? ['inboxid'] : []
    const { taken, refused } = await acceptEach(context, caller, requests, { sender, ignored, isRepeatable })
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
      method: 'GET',
      path: '/compat/fonnte/send',
      summary: 'Send, as programs for Fonnte do, by address',
      description:
        'The key in the address is taken from programs on this PC only, unless the owner allows others. The same text to the same number within 10 s is the first message again.',
      query: fonnteSendQuery,
      answer: fonnteSent,
      handler: ({ query, caller }) => send(query, caller, true),
    }),
    defineRoute({
      ...postTo(context, 'send'),
      summary: 'Send, as programs for Fonnte do',
      description:
        'Takes the fields of Fonnte, as a form or JSON, and answers in its shape. The key is in `Authorization` without Bearer. Off until the owner allows it in Settings.',
      body: fonnteSendRequest,
      bodyOptional: true,
      form: context.readForm,
      answer: fonnteSent,
      handler: ({ body, caller }) => send(body, caller, false),
    }),
  ]
}

/** Calls that name a message by its number. */
export function fonnteMessages(context: MouthContext): Route[] {
  const { messaging } = context
  const { now } = messaging
  const named = { bodyOptional: true as const, form: context.readForm }

  /** @throws ApiError with these words where the key reaches no such message */
  async function find(id: string | undefined, caller: KnownCaller, words: string): Promise<Message> {
    const seq = /^\s*(\d{1,15})\s*$/.exec(id ?? '')?.[1]
    const message = seq === undefined ? undefined : await messaging.store.messages.find({ seq: Number(seq) })
    if (message !== undefined && reachesMessage(caller, message)) return message
    throw new ApiError('message_not_found', (id ?? '').trim() === '' ? 'id required' : words)
  }

  /** Acts on what waits; Fonnte names the status of what does not. */
  async function act(what: 'delete' | 'reset', message: Message, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error
      throw new ApiError(error.code, `cannot ${what} message with status ${fonnteStatus(message, now())}`)
    }
  }

  /** When a message is to leave instead. @throws ApiError `invalid_request` */
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
      summary: 'Read the status of a message, in the words of Fonnte',
      description:
        '`sent`, `pending`, `waiting` (for its time), `processing`, `invalid`, `expired` (cancelled too), `url unreachable`.',
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
      summary: 'Cancel a message that waits, as programs for Fonnte do',
      description: 'A message that has left is not deleted at the recipient.',
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
      summary: 'Move a message that waits to another time, as programs for Fonnte do',
      description: 'One message at a time, by the number that `/send` answered.',
      body: fonnteResetRequest,
      answer: fonnteDone,
      handler: async ({ body, caller }) => {
        const message = await find(body.id, caller, 'invalid message id')
        const send_at = newTime(body)
        await act('reset', message, () => changeMessage(messaging, message.id, { send_at }))
        return { status: true as const, detail: `message ${message.seq} successfully rescheduled` }
      },
    }),
  ]
}
