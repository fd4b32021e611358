import { SEND_BODY_LIMIT } from '../../../http/body.ts'
import { type DataFileForm, placesOfMember } from '../../../http/data-file.ts'
import type { FormReader } from '../../../http/form.ts'
import { runOnce } from '../../../http/idempotency.ts'
import { type KnownCaller, keyOf } from '../../../http/keys.ts'
import { isOneOf } from '../../../http/outline.ts'
import { type Call, defineRoute, type Route } from '../../../http/route.ts'
import { acceptRequest } from '../../../messages/accept.ts'
import type { NewMessage, SenderRow } from '../../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import type { Mouth, MouthContext } from '../mouth.ts'
import { acceptEach, inWordsOf, isKnownWrong, type Names, readSend, type Taken } from '../sending.ts'
import { wahaFormat } from './callbacks.ts'
import {
  wahaActionParams,
  wahaChatRequest,
  wahaExists,
  wahaExistsQuery,
  wahaFailure,
  wahaFileRequest,
  wahaMessage,
  wahaPong,
  wahaResult,
  wahaTextQuery,
  wahaTextRequest,
  wahaVersion,
} from './contract.ts'
import { sessionRoutes } from './sessions.ts'
import {
  API,
  cannot,
  commonOf,
  ENGINE,
  isEmpty,
  messageIdOf,
  personOf,
  phoneOf,
  recipientOf,
  senderOf,
  TIER,
  WAHA_VERSION,
} from './terms.ts'

type TextRequest = (typeof wahaTextRequest)['_output']
type FileRequest = (typeof wahaFileRequest)['_output']

const NAMES: Names = {
  phone: 'chatId',
  group: 'chatId',
  file: 'file.url',
  file_id: 'file.file_id',
  filename: 'file.filename',
}

/** Refuses members that Kurir would have to drop. @throws ApiError */
function refuseUnable({ reply_to, mentions, buttons }: TextRequest | FileRequest): void {
  if (!isEmpty(reply_to)) throw cannot('reply_to', 'answers to a message are not possible, leave it out')
  if (!isEmpty(mentions)) throw cannot('mentions', 'nobody can be mentioned, leave it out')
  if (!isEmpty(buttons)) throw cannot('buttons', 'buttons are not possible')
}

/** Returns the text and file of a request as fields of /send. @throws ApiError */
function contentOf(body: TextRequest | FileRequest) {
  if ('text' in body) return { message: body.text }
  const { url, file_id, filename } = body.file ?? {}
  const address = url || body.url
  if (!address && !file_id) throw invalidRequest([fieldProblem('file', 'required')])
  return {
    message: body.caption ?? '',
    ...(file_id ? { file_id } : { file: address }),
    ...(filename ? { filename } : {}),
  }
}

type Accepted = Pick<NewMessage, 'id' | 'recipient' | 'body' | 'file' | 'createdAt'>

function messageView(message: Accepted, { phone, code }: SenderRow) {
  const id = messageIdOf(message)
  return {
    id: id._serialized,
    timestamp: Math.floor(message.createdAt / 1000),
    from: personOf(phone ?? code),
    fromMe: true as const,
    source: 'api' as const,
    to: id.remote,
    participant: null,
    body: message.body ?? '',
    hasMedia: message.file !== null,
    media: null,
    ack: 0 as const,
    ackName: 'PENDING' as const,
    replyTo: null,
    vCards: [],
    key: { remoteJid: id.remote.replace(/@c\.us$/, '@s.whatsapp.net'), fromMe: true as const, id: id.id },
    _data: { id },
  }
}

function wahaRoutes(context: MouthContext): Route[] {
  const { isOn, readForm, messaging, idempotency } = context
  const { senders, contacts } = messaging.store

  function send(call: Call<unknown, unknown, TextRequest | FileRequest, KnownCaller>, path: string) {
    const { body, caller, unknownMembers } = call
    refuseUnable(body)
    const sender = senderOf(senders, caller, body.session)
    const members = { ...recipientOf(body.chatId, sender), ...contentOf(body) }
    return inWordsOf({ ...NAMES, message: 'text' in body ? 'text' : 'caption' }, () => {
      const request = readSend(members)
      return runOnce(idempotency, call, path, (slot) =>
        acceptRequest(messaging, {
          sender,
          key: keyOf(caller),
          request,
          asSent: { metadata: undefined, unknownMembers },
          answer: (message) => messageView(message, sender),
          slot,
          status: 201,
        }),
      )
    })
  }

  async function sendByAddress(call: Call<unknown, (typeof wahaTextQuery)['_output'], unknown, KnownCaller>) {
    const { query, caller } = call
    const sender = senderOf(senders, caller, query.session)
    const names = { ...NAMES, phone: 'phone', group: 'phone', message: 'text' }
    const members = { ...recipientOf(query.phone, sender, 'phone'), message: query.text }
    const request = await inWordsOf(names, () => readSend(members))
    const { taken } = await acceptEach(context, call, [request], { sender, names })
    const [{ id, recipient }] = taken as [Taken]
    return messageView({ id, recipient, body: query.text, file: null, createdAt: messaging.now() }, sender)
  }

  const common = commonOf(isOn)
  const created = { ...common, method: 'POST' as const, status: 201 as const, answer: wahaMessage, once: true as const }
  const sendsFile = (name: string, what: string): Route =>
    defineRoute({
      ...created,
      path: `${API}/${name}`,
      summary: `Send ${what} (WAHA format)`,
      description: 'Takes the file by its URL or as base64 in the request body. How it is sent depends on its content.',
      body: wahaFileRequest,
      bodyLimit: SEND_BODY_LIMIT,
      form: wahaFileReader(readForm),
      handler: (call) => send(call, `${API}/${name}`),
    })
  const changesNothing = (name: string): Route =>
    defineRoute({
      ...common,
      method: 'POST',
      status: 201,
      path: `${API}/${name}`,
      summary: `Accept ${name} without an effect (WAHA format)`,
      description:
        'Bots call this route around each message. Kurir neither marks messages as read nor shows that somebody is typing.',
      body: wahaChatRequest.optional(),
      bodyOptional: true,
      answer: wahaResult,
      handler: () => ({ result: true as const }),
    })
  const looksFor = (path: string): Route =>
    defineRoute({
      ...common,
      method: 'GET',
      path: `${API}/${path}`,
      summary: 'Check whether a number is on WhatsApp (WAHA format)',
      description:
        'Kurir does not ask WhatsApp: a number counts as existing unless WhatsApp has said otherwise before.',
      query: wahaExistsQuery,
      answer: wahaExists,
      handler: async ({ query, caller }) => {
        const sender = senderOf(senders, caller, query.session)
        const phone = phoneOf(query.phone, sender, 'phone')
        const isNone = isKnownWrong(await contacts.get(sender.id, phone))
        return isNone ? { numberExists: false } : { numberExists: true, chatId: personOf(phone) }
      },
    })
  const tellsVersion = (path: string): Route =>
    defineRoute({
      ...common,
      method: 'GET',
      path: `${API}/${path}`,
      summary: 'Get the compatible version of WAHA',
      description:
        'Returns the version of WAHA that these routes correspond to, because some programs require a certain version.',
      answer: wahaVersion,
      handler: () => ({ version: WAHA_VERSION, engine: ENGINE, tier: TIER, browser: null }),
    })

  return [
    defineRoute({
      ...created,
      failsBelow: '/compat/waha',
      path: `${API}/sendText`,
      summary: 'Send a text (WAHA format)',
      description:
        "Accepts WAHA's fields and responds in WAHA's format. These routes are unavailable until the owner switches them on in the settings.",
      body: wahaTextRequest,
      bodyLimit: SEND_BODY_LIMIT,
      handler: (call) => send(call, `${API}/sendText`),
    }),
    defineRoute({
      ...created,
      method: 'GET',
      status: 200,
      path: `${API}/sendText`,
      summary: 'Send a text by GET (WAHA format)',
      description: 'The same text to the same number within 10 seconds counts as a repetition and is not sent again.',
      query: wahaTextQuery,
      handler: sendByAddress,
    }),
    sendsFile('sendImage', 'an image'),
    sendsFile('sendFile', 'a file'),
    sendsFile('sendVideo', 'a video'),
    sendsFile('sendVoice', 'a voice message'),
    ...['sendSeen', 'startTyping', 'stopTyping'].map(changesNothing),
    // Other calls of WAHA have a route so that they appear in the list of refused calls.
    defineRoute({
      ...common,
      method: 'POST',
      path: `${API}/{action}`,
      summary: 'Refuse any other call of WAHA',
      description: 'Polls, locations, contacts, buttons, reactions and replies to a message are not supported.',
      params: wahaActionParams,
      answer: wahaFailure,
      handler: ({ params: { action } }) => {
        throw cannot(action, 'Kurir sends text, images, files, videos and voice messages')
      },
    }),
    ...sessionRoutes(context),
    looksFor('contacts/check-exists'),
    // Programs from before 2025 use this path.
    looksFor('checkNumberStatus'),
    tellsVersion('version'),
    tellsVersion('server/version'),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/compat/waha/ping',
      summary: 'Check whether the server responds (WAHA format)',
      description: 'Programs use this route to find out whether WAHA is running.',
      answer: wahaPong,
      handler: () => ({ message: 'pong' as const }),
    }),
  ]
}

/** WAHA's form of a file in a body: `"file": { "data": "<base64>", "mimetype", "filename" }`. */
const FORM: DataFileForm = {
  *places(json) {
    for (const place of placesOfMember(json, 'data')) if (place.to > place.from) yield place
  },
  isFile: () => false,
  read(body, mark) {
    const { file } = body
    if (typeof file !== 'object' || file === null || !('data' in file) || file.data !== mark) return undefined
    const { data: _, ...others } = file as Record<string, unknown>
    return {
      name: others.filename,
      type: others.mimetype,
      withFile: (id) => ({ ...body, file: { ...others, file_id: id } }),
    }
  },
}

/** Returns a reader of JSON that holds a file. WAHA takes no forms. */
const wahaFileReader = (reader: FormReader): FormReader => ({
  ...reader,
  takes: () => false,
  readDataFile: (json, contentType, caller) => reader.readDataFile(json, contentType, caller, FORM),
})

const SENDING = /^\/api\/(sendText|sendImage|sendFile|sendVideo|sendVoice|sendSeen|startTyping|stopTyping|reply)\/?$/
const DOCS = 'devlikeapro/waha-docs, how-to'
const KEY = ['header x-api-key'] as const

/** The mouth for programs written for WAHA. They send no key if their WAHA had none. */
export const waha: Mouth = {
  name: 'WAHA',
  mouth: { switch: 'compat_waha', path: '/compat/waha' },
  looksLike: isOneOf([
    { source: 'this mouth, switched off', methods: ['GET', 'POST'], path: /^\/compat\/waha\// },
    { source: `${DOCS}/send-messages`, methods: ['POST'], path: SENDING, members: ['chatId'] },
    { source: `${DOCS}/security`, methods: ['POST'], path: SENDING, key: KEY },
    {
      source: 'devlikeapro/waha 2024.10, chatting.controller.ts (deprecated)',
      methods: ['GET'],
      path: /^\/api\/(sendText|checkNumberStatus)$/,
      members: ['phone', ['text', 'session']],
      key: KEY,
    },
    {
      source: `${DOCS}/sessions, contacts, observability`,
      methods: ['GET'],
      path: /^\/api\/(sessions|contacts\/check-exists|version|server\/version)(\/[^/]+){0,2}\/?$/,
      key: KEY,
    },
    {
      source: `${DOCS}/send-messages, with only the host changed`,
      methods: ['POST'],
      path: /^\/send\/?$/,
      members: ['chatId'],
    },
  ]),
  routes: wahaRoutes,
  callbacks: { name: 'waha', format: wahaFormat },
}
