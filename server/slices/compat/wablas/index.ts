import type { z } from 'zod'
import { ApiError } from '../../../contract/errors.ts'
import type { SendRequest } from '../../../contract/send.ts'
import { type KnownCaller, reachesMessage } from '../../../http/keys.ts'
import { isOneOf } from '../../../http/outline.ts'
import { replyTo } from '../../../http/response.ts'
import { defineRoute, Reply, type Route } from '../../../http/route.ts'
import { cancelMessage } from '../../../messages/actions.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { type Mouth, type MouthContext, mixedReader, refuseFileAlong, senderOfKey } from '../mouth.ts'
import {
  acceptEach,
  addressed,
  inWordsOf,
  MOST_NUMBERS,
  type Names,
  readEach,
  readNumbers,
  type SendingCall,
  splitNumbers,
} from '../sending.ts'
import { wablasFormat } from './callbacks.ts'
import { localReader } from './local-file.ts'
import {
  type WablasEntry,
  type WablasLocalRequest,
  type WablasRequest,
  wablasAudioRequest,
  wablasDevice,
  wablasDocumentRequest,
  wablasDone,
  wablasFailure,
  wablasImageRequest,
  wablasLocalRequest,
  wablasScheduled,
  wablasScheduleId,
  wablasScheduleRequest,
  wablasSchedulesRequest,
  wablasSent,
  wablasTextQuery,
  wablasTextRequest,
  wablasVideoRequest,
} from './members.ts'
import { type PlannedEntry, plannedAt, plannedOf, shownIn } from './schedule.ts'

const tag = 'Wablas'
const API = '/compat/wablas/api'

/** Values for the limits that Wablas reports and Kurir does not have. */
const NO_LIMIT = 999_999
const NO_END = '2099-12-31'

/** Wablas refuses with 400, 401 and 500. Its clients read `message`, which is always a text. */
function failure(error: ApiError): Reply {
  const { headers } = replyTo(error)
  const status = error.status < 429 && error.status !== 401 ? 400 : error.status
  const words = error.status === 401 ? 'token invalid or device expired. ' : ''
  return new Reply(status, { status: false, message: `${words}${error.message}` }, headers)
}

// Python writes True with a capital letter.
const isTrue = (flag: WablasEntry['isGroup']): boolean => /^(true|1)$/i.test(String(flag))

/** Returns the text and file of an entry. Pure. */
function contentOf(entry: WablasEntry): Content {
  if ('message' in entry) return { message: entry.message }
  if ('image' in entry) return { message: entry.caption ?? '', file: entry.image }
  if ('document' in entry) return { message: entry.caption ?? '', file: entry.document }
  return { message: entry.caption ?? '', file: 'video' in entry ? entry.video : entry.audio }
}

/** Returns the names of /send's fields in a call's entries, which are all of one kind. Pure. */
function namesOf(entry: WablasEntry | undefined): Names {
  const file = (['image', 'document', 'video', 'audio'] as const).find((name) => entry !== undefined && name in entry)
  return { ...NAMES, ...(file === undefined ? {} : { file, message: 'caption' }) }
}

const NAMES: Names = { group: 'phone', reference_id: 'ref_id' }

/** Fields of /send for an entry, without its recipients. */
type Content = Pick<SendRequest, 'message' | 'file' | 'file_id' | 'filename' | 'send_at'>
/** Members that the entries of all routes have. */
type Addressed = Pick<WablasEntry, 'phone' | 'isGroup' | 'ref_id'>

/** Returns the numbers of an entry as written, group ids with their `@g.us`. @throws ApiError */
const writtenIn = (entry: Addressed): string[] =>
  // Programs mostly leave out the @g.us that tells a group's id from a number.
  splitNumbers(entry.phone, ',', 'phone').map((each) =>
    isTrue(entry.isGroup) && !each.endsWith('@g.us') ? `${each}@g.us` : each,
  )

function wablasRoutes(context: MouthContext): Route[] {
  const { readForm, isOn, keysFromLan, messaging } = context
  const { senders } = messaging.store

  /** Accepts the messages of a call. @throws ApiError if none is accepted */
  async function take(call: SendingCall, entries: readonly { entry: Addressed; content: Content }[], names: Names) {
    const sender = senderOfKey(senders, call.caller)
    const written = entries.map(({ entry }) => writtenIn(entry))
    if (written.flat().length > MOST_NUMBERS)
      throw invalidRequest([fieldProblem('phone', 'too_many', { max: MOST_NUMBERS })])
    const read = written.map((each) => readNumbers(each, sender.settings.country_code ?? '62'))
    const members = entries.flatMap(({ entry: { ref_id }, content }, at) => {
      const shared = { ...content, ...(ref_id ? { reference_id: ref_id } : {}) }
      return (read[at]?.good ?? []).map((to) => ({ ...addressed(to), ...shared }))
    })
    const requests = await inWordsOf(names, () => readEach(members))
    const bad = read.flatMap((numbers) => numbers.bad)
    if (requests.length === 0) throw invalidRequest([{ field: 'phone', message: bad.join('; ') }])
    const { taken, refused } = await acceptEach(context, call, requests, { sender, names })
    const others = [...bad, ...refused]
    return { sender, taken, notTaken: others.length === 0 ? '' : `. Not taken: ${others.join('; ')}` }
  }

  async function send(call: SendingCall, entries: Parameters<typeof take>[1], names: Names) {
    const { sender, taken, notTaken } = await take(call, entries, names)
    return {
      status: true as const,
      message: `Message is pending and waiting to be processed${notTaken}`,
      data: {
        device_id: sender.code,
        quota: NO_LIMIT,
        messages: taken.map(({ id, recipient, request }) => ({
          id,
          phone: recipient,
          message: request.file === undefined && request.file_id == null ? request.message : null,
          status: 'pending' as const,
          ref_id: request.reference_id ?? '',
        })),
      },
    }
  }

  function sendEntries(body: WablasRequest, call: SendingCall) {
    if (!('data' in body)) refuseFileAlong(body)
    const entries = 'data' in body ? body.data : [body]
    return send(
      call,
      entries.map((entry) => ({ entry, content: contentOf(entry) })),
      namesOf(entries[0]),
    )
  }

  function sendLocal(body: WablasLocalRequest, call: SendingCall) {
    const { file_id, caption, filename, name_file } = body
    if (file_id === undefined) throw invalidRequest([fieldProblem('file', 'required')])
    const name = filename || name_file
    const content = { message: caption ?? '', file_id, ...(name ? { filename: name } : {}) }
    return send(call, [{ entry: body, content }], { ...NAMES, file_id: 'file', message: 'caption' })
  }

  async function schedule(call: SendingCall, entries: readonly PlannedEntry[], names: Names) {
    for (const { entry } of entries) refuseFileAlong(entry)
    const { taken, notTaken } = await take(call, entries, names)
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
    const zone = entries[0]?.zone || timeZone
    return {
      status: true as const,
      category: 'text' as const,
      message: `Scheduled Messages is succesfully saved and waiting to be processed${notTaken}`,
      'phones list': taken.map(({ recipient }) => recipient),
      messages: taken.map(({ id, recipient, request }) => ({
        id,
        phone: recipient,
        message: request.message,
        status: true as const,
        timezone: zone,
        schedule_at: shownIn(Date.parse(request.send_at ?? ''), zone),
      })),
    }
  }

  /** @throws ApiError if the key reaches no such message, or it is not waiting */
  async function cancel(id: string, caller: KnownCaller, what: string) {
    const message = await messaging.store.messages.find({ id })
    if (message === undefined || !reachesMessage(caller, message))
      throw new ApiError('message_not_found', 'schedule not found')
    await cancelMessage(messaging, id)
    return { status: true as const, message: `schedule ${what} successfully` }
  }

  const common = {
    tag,
    auth: 'key' as const,
    otherAnswers: [{ status: 400, description: 'Error in the format of Wablas.', schema: wablasFailure }],
    failure,
    isOn,
    // Programs send token.secret, where the secret may be empty. Kurir's keys have no dot.
    readMixed: mixedReader({ names: ['token'], keysFromLan, keyIn: (text) => text.split('.', 1)[0] ?? '' }),
  }
  const sends = { ...common, method: 'POST' as const, bodyOptional: true as const, once: true as const, form: readForm }
  const post = (path: string, what: string, body: z.ZodType<WablasRequest>): Route =>
    defineRoute({
      ...sends,
      path: `${API}/${path}`,
      summary: `Send ${what} (Wablas format)`,
      description:
        "Accepts Wablas' fields, as a form or JSON, with one message or an array of messages in `data`, and responds in the format of Wablas. These routes are unavailable until the owner switches them on in the settings.",
      body,
      answer: wablasSent,
      handler: (call) => sendEntries(call.body, call),
    })
  const postLocal = (kind: string, what: string): Route =>
    defineRoute({
      ...sends,
      path: `${API}/send-${kind}-from-local`,
      summary: `Upload and send ${what} (Wablas format)`,
      description:
        'Takes the file as base64 in `file`, up to 8 MiB, in a form or JSON. Its name is in `data` or `filename`.',
      body: wablasLocalRequest,
      form: localReader(readForm),
      answer: wablasSent,
      handler: (call) => sendLocal(call.body, call),
    })
  const cancels = (method: 'PUT' | 'DELETE', path: string, what: string): Route =>
    defineRoute({
      ...common,
      method,
      path: `${API}/${path}/{id}`,
      summary: 'Cancel a scheduled message (Wablas format)',
      description: "A message that has already been sent is not deleted at the recipient's.",
      params: wablasScheduleId,
      answer: wablasDone,
      handler: ({ params, caller }) => cancel(params.id, caller, what),
    })

  return [
    defineRoute({
      ...common,
      failsBelow: '/compat/wablas',
      method: 'GET',
      path: `${API}/send-message`,
      summary: 'Send a text by GET (Wablas format)',
      description:
        'Kurir accepts an API key in the query string from programs on this PC only, unless the owner allows others. The same text to the same number within 10 seconds counts as a repetition and is not sent again.',
      query: wablasTextQuery,
      once: true,
      answer: wablasSent,
      handler: (call) => sendEntries(call.query, call),
    }),
    post('send-message', 'a text', wablasTextRequest),
    post('v2/send-message', 'texts', wablasTextRequest),
    post('v2/send-bulk/text', 'texts', wablasTextRequest),
    post('send-image', 'an image', wablasImageRequest),
    post('v2/send-image', 'images', wablasImageRequest),
    post('send-document', 'a document', wablasDocumentRequest),
    post('v2/send-document', 'documents', wablasDocumentRequest),
    post('send-video', 'a video', wablasVideoRequest),
    post('v2/send-video', 'videos', wablasVideoRequest),
    post('send-audio', 'an audio file', wablasAudioRequest),
    post('v2/send-audio', 'audio files', wablasAudioRequest),
    postLocal('image', 'an image'),
    postLocal('document', 'a document'),
    postLocal('video', 'a video'),
    postLocal('audio', 'an audio file'),
    defineRoute({
      ...sends,
      path: `${API}/schedule`,
      summary: 'Schedule a text (Wablas format)',
      description: 'The time may be at most 30 days ahead. A time in the past means now.',
      body: wablasScheduleRequest,
      answer: wablasScheduled,
      handler: (call) => schedule(call, [plannedAt(call.body)], { ...NAMES, send_at: 'date' }),
    }),
    defineRoute({
      ...sends,
      path: `${API}/v2/schedule`,
      summary: 'Schedule several texts (Wablas format)',
      description:
        'Takes an array of texts in `data`, each with its own time: at most 30 days ahead; a time in the past means now.',
      body: wablasSchedulesRequest,
      answer: wablasScheduled,
      handler: (call) =>
        schedule(call, call.body.data.map(plannedOf), { ...NAMES, send_at: 'scheduled_at', message: 'text' }),
    }),
    cancels('PUT', 'schedule-cancel', 'canceled'),
    cancels('DELETE', 'schedule', 'deleted'),
    defineRoute({
      ...common,
      method: 'GET',
      path: `${API}/device/info`,
      summary: 'Get the sender of the API key (Wablas format)',
      description: 'Returns the phone number and state of the sender as a device of Wablas.',
      answer: wablasDevice,
      handler: ({ caller }) => {
        const sender = senderOfKey(senders, caller)
        return {
          status: true as const,
          data: {
            name: sender.settings.name,
            serial: sender.code,
            sender: sender.phone ?? '',
            quota: NO_LIMIT,
            expired_date: NO_END,
            active: true as const,
            status: sender.state === 'connected' ? ('connected' as const) : ('disconnected' as const),
          },
        }
      },
    }),
  ]
}

const DOCS = 'wablas.com/documentation/api'
const KEY = ['bare', 'bearer', 'member token'] as const
const BOTH = ['GET', 'POST']

/** The mouth for programs written for Wablas. */
export const wablas: Mouth = {
  name: 'Wablas',
  mouth: { switch: 'compat_wablas', path: `${API}/send-message` },
  looksLike: isOneOf([
    { source: 'this mouth, switched off', methods: BOTH, path: /^\/compat\/wablas\// },
    {
      source: DOCS,
      methods: BOTH,
      path: /^\/api\/(v2\/)?(send-message|send-bulk\/text|schedule)$/,
      members: [['phone', 'data']],
      key: KEY,
    },
    {
      source: DOCS,
      methods: BOTH,
      path: /^\/api\/(v2\/)?send-(image|document|video|audio)(-from-local)?$/,
      members: [['phone', 'data']],
      key: KEY,
    },
    { source: DOCS, methods: ['GET'], path: /^\/api\/device\/info$/, key: KEY },
  ]),
  routes: wablasRoutes,
  callbacks: { name: 'wablas', format: () => wablasFormat },
}
