import type { z } from 'zod'
import { type KnownCaller, reaches } from '../../../access/keys.ts'
import { ApiError } from '../../../contract/errors.ts'
import { replyTo } from '../../../http/response.ts'
import { defineRoute, Reply, type Route } from '../../../http/route.ts'
import type { SenderRow } from '../../../store/index.ts'
import { invalidRequest } from '../../../words/errors.ts'
import { mixedReader } from '../mixed-key.ts'
import { senderOfKey } from '../named-sender.ts'
import { acceptEach, addressed, type MouthContext, readEach, readNumbers, splitNumbers } from '../sending.ts'
import {
  panelDevices,
  panelDevicesRequest,
  panelFailure,
  panelMediaRequest,
  panelMessageRequest,
  panelSent,
} from './contract.ts'

const tag = 'Panels'

/** Panels say everything about a wrong call with 400, and their clients look at `status`. */
function failure(error: ApiError): Reply {
  const { headers } = replyTo(error)
  const status = error.status < 429 ? 400 : error.status
  return new Reply(status, { status: false, msg: `${panelWords(error)}${error.message}` }, headers)
}

function panelWords({ status, code, extras }: ApiError): string {
  if (status === 401) return 'Invalid api_key or sender,please check again. '
  if (extras.details?.[0]?.field === 'media_type') {
    return 'Invalid media type! Allowed types: image, video, audio, document. '
  }
  return code === 'invalid_request' || code === 'invalid_json' ? 'Invalid parameters! ' : ''
}

type Message = z.output<typeof panelMessageRequest>
type Media = z.output<typeof panelMediaRequest>

/** A text with its footer as panels write it. */
const withFooter = (text: string, footer = ''): string => (footer === '' ? text : `${text}\n\n> _${footer}_`)

const withoutSigns = (number: string): string => number.replace(/\D/g, '')

/** Routes for programs that were written for a panel, which resellers run under many names. */
export function panelRoutes(context: MouthContext): Route[] {
  const { readForm, isOn, keysFromLan } = context
  const { senders } = context.messaging.store

  async function send(body: Message | Media, caller: KnownCaller, isRepeatable: boolean) {
    const sender = senderOfKey(senders, caller)
    const { good, bad } = readNumbers(splitNumbers(body.number, /[|,]/, 'number'), sender.settings.country_code)
    if (good.length === 0) throw invalidRequest([{ field: 'number', message: bad.join('; ') }])
    const content =
      'url' in body
        ? { message: withFooter(body.caption ?? '', body.footer), file: body.url }
        : { message: withFooter(body.message, body.footer) }
    const requests = await readEach(good.map((to) => ({ ...addressed(to), ...content })))
    const ignored = isAnother(body.sender, sender) ? ['sender'] : []
    const { taken, refused } = await acceptEach(context, caller, requests, { sender, ignored, isRepeatable })
    const others = [...bad, ...refused]
    return {
      status: true as const,
      msg: `Message sent successfully!${others.length === 0 ? '' : ` Not taken: ${others.join('; ')}`}`,
      id: taken.map(({ id }) => id),
    }
  }

  function devices({ number }: z.output<typeof panelDevicesRequest>, caller: KnownCaller) {
    const found = senders
      .list()
      .filter((sender) => sender.kind !== 'official' && reaches(caller, sender.id) && !isAnother(number, sender))
    if (found.length === 0) {
      throw new ApiError(
        'sender_not_found',
        'The number you are trying to reach does not exist, or you do not have permission.',
      )
    }
    const info = found.map(({ phone, code, state }) => ({
      body: phone ?? code,
      webhook: null,
      status: state === 'connected' ? ('Connected' as const) : ('Disconnect' as const),
    }))
    return { status: true as const, info }
  }

  type Schema = typeof panelMessageRequest | typeof panelMediaRequest
  const common = {
    tag,
    auth: 'key' as const,
    otherAnswers: [{ status: 400, description: 'Refused', schema: panelFailure }],
    failure,
    isOn,
    readMixed: mixedReader({ names: ['api_key', 'token'], keysFromLan, readForm }),
  }
  const both = (path: string, summary: string, schema: Schema): Route[] => [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      answer: panelSent,
      summary: `${summary}, by address`,
      description:
        'The key in the address is taken from programs on this PC only, unless the owner allows others. The same text to the same number within 10 s is the first message again. Off until the owner allows it in Settings.',
      query: schema,
      handler: ({ query, caller }) => send(query, caller, true),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path,
      answer: panelSent,
      summary,
      description: 'Takes the fields of a panel, as a form or JSON, and answers in its shape.',
      body: schema,
      bodyOptional: true,
      form: readForm,
      handler: ({ body, caller }) => send(body, caller, false),
    }),
  ]
  const tellsDevices = (path: string): Route[] => {
    const shared = {
      ...common,
      path,
      summary: 'The senders that the key reaches, as panels list devices',
      description: 'Their numbers, and whether each is connected.',
      answer: panelDevices,
    }
    return [
      defineRoute({
        ...shared,
        method: 'GET',
        query: panelDevicesRequest,
        handler: ({ query, caller }) => devices(query, caller),
      }),
      defineRoute({
        ...shared,
        method: 'POST',
        body: panelDevicesRequest,
        bodyOptional: true,
        form: readForm,
        handler: ({ body, caller }) => devices(body, caller),
      }),
    ]
  }
  // Panels answer with and without /api.
  return ['/compat/panel', '/compat/panel/api'].flatMap((path) => [
    ...both(`${path}/send-message`, 'Send a text, as programs for a panel do', panelMessageRequest),
    ...both(`${path}/send-media`, 'Send a file, as programs for a panel do', panelMediaRequest),
    ...tellsDevices(`${path}/info-devices`),
  ])
}

/** True if a call names a sender that is not the one of its key. */
const isAnother = (named: string | undefined, { phone, code }: SenderRow): boolean =>
  named !== undefined && named !== code && withoutSigns(named) !== (phone ?? '')
