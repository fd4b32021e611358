import type { z } from 'zod'
import { ApiError } from '../../../contract/errors.ts'
import { formatPhone } from '../../../contract/phone.ts'
import { type SendAnswer, sendAnswer } from '../../../contract/send.ts'
import { SEND_BODY_LIMIT } from '../../../http/body.ts'
import { runOnce } from '../../../http/idempotency.ts'
import { type KnownCaller, keyOf } from '../../../http/keys.ts'
import { isOneOf } from '../../../http/outline.ts'
import { type Call, defineRoute, Reply, type Route } from '../../../http/route.ts'
import { acceptRequest } from '../../../messages/accept.ts'
import type { AsSent } from '../../../messages/new-message.ts'
import { NO_GROUPS } from '../../../senders/pick.ts'
import type { NewMessage, SenderRow, SenderStore } from '../../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { type Mouth, type MouthContext, mixedReader, pickNamed } from '../mouth.ts'
import { inWordsOf } from '../sending.ts'
import { cloudFormat } from './callbacks.ts'
import { failure, groupUnknown, unknownObject } from './failure.ts'
import {
  type CloudMessageRequest,
  cloudFailure,
  cloudMedia,
  cloudMediaRequest,
  cloudMessageRequest,
  cloudNumber,
  cloudParams,
  cloudSent,
  isToGroup,
  namesOf,
  recipientOf,
  sendOf,
  templateOf,
  wamidOf,
} from './requests.ts'

type MessageCall = Call<z.output<typeof cloudParams>, unknown, CloudMessageRequest, KnownCaller>

const tag = 'Cloud API'
const NUMBER = '/compat/cloud/v{version}.0/{phone_number_id}'
/** Route name of stored answers. It has no version, because a repeat may name another version. */
const MESSAGES = '/compat/cloud/messages'

/** Keeps the program's tracker, which comes back with each status, as the message's metadata. */
const asSent = ({ body: { biz_opaque_callback_data }, unknownMembers }: MessageCall): AsSent => ({
  metadata: biz_opaque_callback_data === undefined ? undefined : JSON.stringify({ biz_opaque_callback_data }),
  unknownMembers,
})

const answerOf = (input: string, message: { id: string; recipient: string }) => ({
  messaging_product: 'whatsapp' as const,
  contacts: [{ input, wa_id: message.recipient }],
  messages: [{ id: wamidOf(message.id) }],
})

const acceptedTemplate = (input: string, { data }: SendAnswer) => {
  const { messages, ...answer } = answerOf(input, data)
  return { ...answer, messages: messages.map((each) => ({ ...each, message_status: 'accepted' as const })) }
}

function cloudRoutes(context: MouthContext): Route[] {
  const { isOn, keysFromLan, idempotency, readForm, messaging, templates } = context
  const { senders } = messaging.store

  function sendText(call: MessageCall, to: string) {
    const { caller, params, body } = call
    const sender = isToGroup(body)
      ? groupSenderOf(senders, caller, params.phone_number_id)
      : senderOf(senders, caller, params.phone_number_id, 'linked')
    const asked = {
      sender,
      key: keyOf(caller),
      request: sendOf(body, to),
      asSent: asSent(call),
      answer: (message: NewMessage) => answerOf(to, message),
    }
    return runOnce(idempotency, call, MESSAGES, (slot) => acceptRequest(messaging, { ...asked, slot }))
  }

  /** Queues a template as texts are queued, so that the sender's lane retries what Meta refuses. */
  async function sendTemplate(call: MessageCall, to: string) {
    const sender = senderOf(senders, call.caller, call.params.phone_number_id, 'official')
    const request = templateOf(call.body, to)
    const answer = await runOnce(idempotency, call, MESSAGES, (slot) =>
      templates.queue({
        sender,
        key: keyOf(call.caller),
        request,
        asSent: asSent(call),
        idempotency: slot && { ...slot, answer: null },
      }),
    )
    if (!(answer instanceof Reply)) return acceptedTemplate(to, answer)
    return new Reply(200, acceptedTemplate(to, sendAnswer.parse(JSON.parse(String(answer.body)))), answer.headers)
  }

  const common = {
    tag,
    auth: 'key' as const,
    params: cloudParams,
    otherAnswers: [{ status: 400, description: 'Error in the format of the Cloud API.', schema: cloudFailure }],
    failure,
    isOn,
    readMixed: mixedReader({ names: ['access_token'], keysFromLan }),
  }
  return [
    defineRoute({
      ...common,
      failsBelow: '/compat/cloud',
      method: 'POST',
      path: `${NUMBER}/messages`,
      summary: 'Send a message (Cloud API format)',
      description:
        'Texts and files are sent from the linked number, templates from the official number. These routes are unavailable until the owner switches them on in the settings.',
      body: cloudMessageRequest,
      once: true,
      bodyLimit: SEND_BODY_LIMIT,
      answer: cloudSent,
      handler: (call) => {
        if (call.body.status === 'read') {
          // Bots mark each message as read before they answer it, and stop at an error.
          anySenderOf(senders, call.caller, call.params.phone_number_id)
          return { success: true as const }
        }
        const to = recipientOf(call.body)
        const isTemplate = call.body.type === 'template'
        return inWordsOf(namesOf(call.body), () => (isTemplate ? sendTemplate(call, to) : sendText(call, to)))
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${NUMBER}/media`,
      summary: 'Upload a file (Cloud API format)',
      description:
        'Takes a form with the part `file`. Kurir keeps the file for an hour, and until its last message has a final status.',
      body: cloudMediaRequest,
      form: readForm,
      answer: cloudMedia,
      handler: ({ params, body, caller }) => {
        anySenderOf(senders, caller, params.phone_number_id)
        if (body.file_id === undefined) throw invalidRequest([fieldProblem('file', 'required')])
        return { id: body.file_id }
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: NUMBER,
      summary: 'Get a sender (Cloud API format)',
      description:
        "Names the sender by its code, its phone number in digits, or Meta's phone number ID. Kurir does not ask Meta.",
      answer: cloudNumber,
      handler: ({ params: { phone_number_id: id }, caller }) => {
        const { phone, settings } = anySenderOf(senders, caller, id)
        return {
          id,
          verified_name: settings.name,
          display_phone_number: phone === null ? '' : formatPhone(phone),
          quality_rating: 'UNKNOWN' as const,
        }
      },
    }),
  ]
}

type Kind = 'linked' | 'official'

/** Finds the senders of an id: code, number or Meta's id. @throws ApiError if there is none */
function named(senders: SenderStore, id: string): SenderRow[] {
  const code = senders.byCode(id)
  const found =
    code === undefined
      ? senders.list().filter(({ phone, official }) => phone === id || official?.phone_number_id === id)
      : [code]
  if (found.length === 0) throw unknownObject(id)
  return found
}

/**
 * Returns the sender of a message. A program uses one id for texts and templates. If that id names
 * a sender of the other kind, the only sender of this kind sends.
 * @throws ApiError
 */
function senderOf(senders: SenderStore, caller: KnownCaller, id: string, kind: Kind): SenderRow {
  const found = named(senders, id).find((sender) => sender.kind === kind || sender.kind === 'sandbox')
  return pickNamed(senders, caller, found, kind)
}

/** Returns the sender of a message to a group. @throws ApiError in Meta's words about groups */
function groupSenderOf(senders: SenderStore, caller: KnownCaller, id: string): SenderRow {
  try {
    return senderOf(senders, caller, id, 'linked')
  } catch (error) {
    const isOfficial = error instanceof ApiError && error.code === 'sender_kind_mismatch'
    throw isOfficial ? groupUnknown(`${id} is ${NO_GROUPS}.`) : error
  }
}

/** Returns the sender of an id, of either kind. @throws ApiError */
function anySenderOf(senders: SenderStore, caller: KnownCaller, id: string): SenderRow {
  const [first] = named(senders, id)
  return pickNamed(senders, caller, first, first?.kind === 'official' ? 'official' : 'linked')
}

const REFERENCE = 'developers.facebook.com/docs/whatsapp/cloud-api/reference'

/** The mouth for programs written for Meta's Cloud API. */
export const cloud: Mouth = {
  name: 'Cloud API',
  mouth: { switch: 'compat_cloud', path: '/compat/cloud/v26.0' },
  looksLike: isOneOf([
    { source: 'this mouth, switched off', methods: ['GET', 'POST'], path: /^\/compat\/cloud\// },
    {
      source: `${REFERENCE}/messages, media`,
      methods: ['POST'],
      path: /^\/v\d{1,3}\.\d{1,2}\/[^/]+\/(messages|media)\/?$/,
      key: ['bearer', 'member access_token', 'member messaging_product'],
    },
    {
      source: `${REFERENCE}/phone-numbers`,
      methods: ['GET'],
      path: /^\/v\d{1,3}\.\d{1,2}\/[^/]+\/?$/,
      key: ['bearer', 'member access_token'],
    },
    {
      source: `${REFERENCE}/messages, without its version or with only the host changed`,
      methods: ['POST'],
      path: /\/(messages|send)\/?$/,
      members: ['messaging_product', 'to'],
    },
  ]),
  routes: cloudRoutes,
  callbacks: { name: 'cloud_api', format: () => cloudFormat },
}
