import { z } from 'zod'
import type { ApiError } from '../../../contract/errors.ts'
import { looseText } from '../../../contract/fields.ts'
import type { SendRequest } from '../../../contract/send.ts'
import { isOneOf } from '../../../http/outline.ts'
import { replyTo } from '../../../http/response.ts'
import { defineRoute, Reply, type Route } from '../../../http/route.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { type Mouth, type MouthContext, mixedReader, noFileAlong, refuseFileAlong, senderOfKey } from '../mouth.ts'
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

/**
 * The members of Wablas' API that Kurir takes (wablas.com/documentation/api). Its clients send
 * them in an address, a form or JSON; what is not listed is ignored.
 */
const flag = z
  .union([z.boolean(), z.string().max(10), z.number()])
  .nullable()
  .optional()

const members = {
  phone: looseText('Numbers with commas between them.', '6281234567890'),
  isGroup: flag.describe('The number is the id of a group, without its end.'),
  ref_id: z
    .union([z.string().max(255), z.number()])
    .transform(String)
    .nullish()
    .describe('Comes back with the message, and in its callbacks.'),
  file_id: noFileAlong,
}
const caption = looseText('The text below it.').nullable().optional()
const address = looseText('Address of the file.', 'https://shop.example/inv-1001.pdf')

const textEntry = z.object({ ...members, message: looseText('The text.', 'Pesanan siap') })
const wablasTextQuery = textEntry.omit({ file_id: true }).extend({
  token: looseText('The API key, alone or before a dot and a secret.').optional(),
})

/** Several messages in one call, which Wablas calls its version 2. */
const listOf = <T extends z.ZodType>(entry: T) => z.object({ data: z.array(entry).min(1).max(100) })

// Both forms are sent to both addresses.
const wablasTextRequest = z.union([textEntry, listOf(textEntry)])
const imageEntry = z.object({ ...members, image: address, caption })
const documentEntry = z.object({ ...members, document: address, caption })
const videoEntry = z.object({ ...members, video: address, caption })
const audioEntry = z.object({ ...members, audio: address, caption })
const wablasImageRequest = z.union([imageEntry, listOf(imageEntry)])
const wablasDocumentRequest = z.union([documentEntry, listOf(documentEntry)])
const wablasVideoRequest = z.union([videoEntry, listOf(videoEntry)])
const wablasAudioRequest = z.union([audioEntry, listOf(audioEntry)])

type WablasEntry = z.output<
  typeof textEntry | typeof imageEntry | typeof documentEntry | typeof videoEntry | typeof audioEntry
>
type WablasRequest = WablasEntry | { data: WablasEntry[] }

const wablasSent = z.object({
  status: z.literal(true),
  message: z.string(),
  data: z.object({
    device_id: z.string(),
    quota: z.number(),
    messages: z.array(
      z.object({
        id: z.string(),
        phone: z.string(),
        message: z.string().nullable(),
        status: z.literal('pending'),
        ref_id: z.string(),
      }),
    ),
  }),
})
const wablasDevice = z.object({
  status: z.literal(true),
  data: z.object({
    name: z.string(),
    serial: z.string(),
    sender: z.string(),
    quota: z.number(),
    expired_date: z.string(),
    active: z.literal(true),
    status: z.enum(['connected', 'disconnected']),
  }),
})
const wablasFailure = z.object({ status: z.literal(false), message: z.string() })

const tag = 'Wablas'

/** Limits that Wablas tells and Kurir does not have. */
const NO_LIMIT = 999_999
const NO_END = '2099-12-31'

/** Wablas refuses with 400, 401 and 500; its clients read `message`, which is always a text. */
function failure(error: ApiError): Reply {
  const { headers } = replyTo(error)
  const status = error.status < 429 && error.status !== 401 ? 400 : error.status
  const words = error.status === 401 ? 'token invalid or device expired. ' : ''
  return new Reply(status, { status: false, message: `${words}${error.message}` }, headers)
}

// Python writes it with a capital letter.
const isTrue = (flag: WablasEntry['isGroup']): boolean => /^(true|1)$/i.test(String(flag))

/** The text and file of an entry. Pure. */
function contentOf(entry: WablasEntry): Pick<SendRequest, 'message' | 'file'> {
  if ('message' in entry) return { message: entry.message }
  if ('image' in entry) return { message: entry.caption ?? '', file: entry.image }
  if ('document' in entry) return { message: entry.caption ?? '', file: entry.document }
  return { message: entry.caption ?? '', file: 'video' in entry ? entry.video : entry.audio }
}

/** Fields of /send as the entries of a call have them; all are of one kind. Pure. */
function namesOf(entry: WablasEntry): Names {
  const file = (['image', 'document', 'video', 'audio'] as const).find((name) => name in entry)
  return {
    group: 'phone',
    reference_id: 'ref_id',
    ...(file === undefined ? {} : { file, message: 'caption' }),
  }
}

/** Numbers of an entry as they were written. @throws ApiError */
const writtenIn = (entry: WablasEntry): string[] =>
  // A group's id mostly stands there without the end that tells it from a number.
  splitNumbers(entry.phone, ',', 'phone').map((each) =>
    isTrue(entry.isGroup) && !each.endsWith('@g.us') ? `${each}@g.us` : each,
  )

function wablasRoutes(context: MouthContext): Route[] {
  const { readForm, isOn, keysFromLan } = context
  const { senders } = context.messaging.store

  async function send(body: WablasRequest, call: SendingCall) {
    if (!('data' in body)) refuseFileAlong(body)
    const sender = senderOfKey(senders, call.caller)
    const entries = ('data' in body ? body.data : [body]).map((entry) => ({ entry, written: writtenIn(entry) }))
    if (entries.reduce((sum, { written }) => sum + written.length, 0) > MOST_NUMBERS) {
      throw invalidRequest([fieldProblem('phone', 'too_many', { max: MOST_NUMBERS })])
    }
    const read = entries.map(({ entry, written }) => ({
      entry,
      numbers: readNumbers(written, sender.settings.country_code ?? '62'),
    }))
    const members = read.flatMap(({ entry, numbers }) => {
      const shared = { ...contentOf(entry), ...(entry.ref_id ? { reference_id: entry.ref_id } : {}) }
      return numbers.good.map((to) => ({ ...addressed(to), ...shared }))
    })
    const names = read[0] === undefined ? {} : namesOf(read[0].entry)
    const requests = await inWordsOf(names, () => readEach(members))
    const bad = read.flatMap(({ numbers }) => numbers.bad)
    if (requests.length === 0) throw invalidRequest([{ field: 'phone', message: bad.join('; ') }])
    const { taken, refused } = await acceptEach(context, call, requests, { sender, names })
    const others = [...bad, ...refused]
    return {
      status: true as const,
      message: `Message is pending and waiting to be processed${others.length === 0 ? '' : `. Not taken: ${others.join('; ')}`}`,
      data: {
        device_id: sender.code,
        quota: NO_LIMIT,
        messages: taken.map(({ id, recipient, request }) => ({
          id,
          phone: recipient,
          message: request.file === undefined ? request.message : null,
          status: 'pending' as const,
          ref_id: request.reference_id ?? '',
        })),
      },
    }
  }

  const common = {
    tag,
    auth: 'key' as const,
    otherAnswers: [{ status: 400, description: 'Refused', schema: wablasFailure }],
    failure,
    isOn,
    // Programs join their token and a secret, which may be empty, by a dot. No key of ours has one.
    readMixed: mixedReader({ names: ['token'], keysFromLan, keyIn: (text) => text.split('.', 1)[0] ?? '' }),
  }
  const post = (path: string, what: string, body: z.ZodType<WablasRequest>): Route =>
    defineRoute({
      ...common,
      method: 'POST',
      path: `/compat/wablas/api/${path}`,
      summary: `Send ${what}, as programs for Wablas do`,
      description:
        'Takes the fields of Wablas, as a form or JSON, one message or a list in `data`, and answers in its shape. Off until the owner allows it in Settings.',
      body,
      bodyOptional: true,
      once: true,
      form: readForm,
      answer: wablasSent,
      handler: (call) => send(call.body, call),
    })

  return [
    defineRoute({
      ...common,
      failsBelow: '/compat/wablas',
      method: 'GET',
      path: '/compat/wablas/api/send-message',
      summary: 'Send a text, as programs for Wablas do, by address',
      description:
        'The key in the address is taken from programs on this PC only, unless the owner allows others. The same text to the same number within 10 s is the first message again.',
      query: wablasTextQuery,
      once: true,
      answer: wablasSent,
      handler: (call) => send(call.query, call),
    }),
    post('send-message', 'a text', wablasTextRequest),
    post('v2/send-message', 'texts', wablasTextRequest),
    post('send-image', 'an image', wablasImageRequest),
    post('v2/send-image', 'images', wablasImageRequest),
    post('send-document', 'a document', wablasDocumentRequest),
    post('v2/send-document', 'documents', wablasDocumentRequest),
    post('send-video', 'a video', wablasVideoRequest),
    post('v2/send-video', 'videos', wablasVideoRequest),
    post('send-audio', 'an audio file', wablasAudioRequest),
    post('v2/send-audio', 'audio files', wablasAudioRequest),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/compat/wablas/api/device/info',
      summary: 'The sender of the key, as Wablas describes a device',
      description: 'The state and number of the sender, in the shape that Wablas answers.',
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

/** Programs that were written for Wablas. */
export const wablas: Mouth = {
  name: 'Wablas',
  mouth: { switch: 'compat_wablas', path: '/compat/wablas/api/send-message' },
  looksLike: isOneOf([
    { source: 'this mouth, switched off', methods: BOTH, path: /^\/compat\/wablas\// },
    { source: DOCS, methods: BOTH, path: /^\/api\/(v2\/)?send-message$/, members: [['phone', 'data']], key: KEY },
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
