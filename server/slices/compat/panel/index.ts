import { z } from 'zod'
import { ApiError } from '../../../contract/errors.ts'
import { looseText } from '../../../contract/fields.ts'
import { type KnownCaller, reaches } from '../../../http/keys.ts'
import { isOneOf } from '../../../http/outline.ts'
import { replyTo } from '../../../http/response.ts'
import { defineRoute, Reply, type Route } from '../../../http/route.ts'
import type { SenderRow } from '../../../store/index.ts'
import { invalidRequest } from '../../../words/errors.ts'
import { type Mouth, type MouthContext, mixedReader, noFileAlong, refuseFileAlong, senderOfKey } from '../mouth.ts'
import {
  acceptEach,
  addressed,
  inWordsOf,
  type Names,
  readEach,
  readNumbers,
  type SendingCall,
  splitNumbers,
} from '../sending.ts'

/**
 * Members that resellers' panels take ("MPWA": zymzz-id/MPWA, its API pages). Every value is text,
 * in an address, a form or JSON.
 */
const members = {
  api_key: looseText('API key, if it is not in a header.').optional(),
  token: looseText('Alias of `api_key`.').optional(),
  sender: looseText('Ignored: the API key determines the sender.', '6281234567890').optional(),
  number: looseText('Phone numbers or group ids (`…@g.us`), separated by `|` or commas.', '6281234567890'),
  file_id: noFileAlong,
  footer: looseText('Text that is added below the message, in italics.', 'Toko Ani').optional(),
}

const panelMessageRequest = z.object({ ...members, message: looseText('Text of the message.', 'Pesanan siap') })

/** Older panels use file extensions of documents as types. */
const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'file', 'pdf', 'doc', 'docx', 'xls', 'xlsx', 'zip'] as const

const inSmallLetters = (text: string) => (typeof text === 'string' ? text.toLowerCase() : text)

const panelMediaRequest = z.object({
  ...members,
  media_type: z
    .preprocess(inSmallLetters, z.enum(MEDIA_TYPES))
    .describe('Type of the file. Only checked: how the file is sent depends on its content.'),
  url: looseText('URL of the file.', 'https://shop.example/inv-1001.pdf'),
  caption: looseText('Caption of the file.', 'Nota').optional(),
  viewonce: z
    .union([z.string().max(10), z.number(), z.boolean()])
    .describe('Not supported: refused if true.')
    .optional(),
})

const panelDevicesRequest = z.object({
  api_key: members.api_key,
  token: members.token,
  number: looseText('Only the sender with this phone number or code.', '6281234567890').optional(),
})

const panelDevices = z.object({
  status: z.literal(true),
  info: z.array(
    z.object({
      body: z.string().describe('Phone number of the sender, or its code if no number is linked.'),
      webhook: z.null(),
      status: z.enum(['Connected', 'Disconnect']),
    }),
  ),
})

const panelSent = z.object({
  status: z.literal(true),
  msg: z.string(),
  id: z.array(z.string()).describe('Ids of the messages. Panels do not have this field.'),
})
const panelFailure = z.object({ status: z.literal(false), msg: z.string() })

const tag = 'Panels'

/** Panels answer every wrong call with 400, and their clients look at `status`. */
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

/** Puts a footer below a text, as panels do. */
const withFooter = (text: string, footer = ''): string => (footer === '' ? text : `${text}\n\n> _${footer}_`)

const NAMES: Names = { phone: 'number', group: 'number', file: 'url' }

const withoutSigns = (number: string): string => number.replace(/\D/g, '')

function panelRoutes(context: MouthContext): Route[] {
  const { readForm, isOn, keysFromLan } = context
  const { senders } = context.messaging.store

  async function send(body: Message | Media, call: SendingCall) {
    refuseFileAlong(body)
    if ('viewonce' in body && /^(true|1|yes|on)$/i.test(String(body.viewonce))) {
      throw invalidRequest([{ field: 'viewonce', message: 'is not possible: the file would stay. Leave it out' }])
    }
    const sender = senderOfKey(senders, call.caller)
    const { good, bad } = readNumbers(splitNumbers(body.number, /[|,]/, 'number'), sender.settings.country_code ?? '62')
    if (good.length === 0) throw invalidRequest([{ field: 'number', message: bad.join('; ') }])
    const content =
      'url' in body
        ? { message: withFooter(body.caption ?? '', body.footer), file: body.url }
        : { message: withFooter(body.message, body.footer) }
    const names = { ...NAMES, ...('url' in body ? { message: 'caption' } : {}) }
    const requests = await inWordsOf(names, () => readEach(good.map((to) => ({ ...addressed(to), ...content }))))
    const ignored = isAnother(body.sender, sender) ? ['sender'] : []
    const { taken, refused } = await acceptEach(context, call, requests, { sender, names, ignored })
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
    otherAnswers: [{ status: 400, description: 'Error in the format of a panel.', schema: panelFailure }],
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
      summary: `${summary}, by GET`,
      description:
        'Kurir accepts an API key in the query string from programs on this PC only, unless the owner allows others. The same text to the same number within 10 seconds counts as a repetition and is not sent again. These routes are unavailable until the owner switches them on in the settings.',
      query: schema,
      once: true,
      handler: (call) => send(call.query, call),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path,
      answer: panelSent,
      summary,
      description:
        "Accepts a panel's fields, as a form or JSON, and responds in the format of a panel. These routes are unavailable until the owner switches them on in the settings.",
      body: schema,
      bodyOptional: true,
      once: true,
      form: readForm,
      handler: (call) => send(call.body, call),
    }),
  ]
  const tellsDevices = (base: string): Route[] => {
    const shared = {
      ...common,
      path: `${base}/info-devices`,
      summary: 'List the senders of the API key (panel format)',
      description: 'Returns the phone number of each sender, and whether it is connected.',
      answer: panelDevices,
    }
    return [
      defineRoute({
        ...shared,
        failsBelow: base,
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
  // Panels answer under both paths.
  return ['/compat/panel', '/compat/panel/api'].flatMap((path) => [
    ...both(`${path}/send-message`, 'Send a text (panel format)', panelMessageRequest),
    ...both(`${path}/send-media`, 'Send a file (panel format)', panelMediaRequest),
    ...tellsDevices(path),
  ])
}

/** True if a call names another sender than this one. */
const isAnother = (named: string | undefined, { phone, code }: SenderRow): boolean =>
  named !== undefined && named !== code && withoutSigns(named) !== (phone ?? '')

const PANEL = 'zymzz-id/MPWA, routes/api.php'
const BOTH = ['GET', 'POST']

/** The mouth for programs written for a panel, which resellers run under many names. */
export const panel: Mouth = {
  name: 'MPWA',
  mouth: { switch: 'compat_panel', path: '/compat/panel/send-message' },
  looksLike: isOneOf([
    { source: 'this mouth, switched off', methods: BOTH, path: /^\/compat\/panel\// },
    {
      // Some panels put a language before the path, such as /id.
      source: PANEL,
      methods: BOTH,
      path: /^(\/[a-z]{2})?(\/api)?\/send-(message|media)\/?$/,
      members: ['number', ['api_key', 'sender', 'device', 'token']],
    },
    { source: PANEL, methods: BOTH, path: /^(\/api)?\/info-devices\/?$/, members: ['api_key'] },
    {
      source: `${PANEL}, with only the host changed`,
      methods: BOTH,
      path: /^\/send\/?$/,
      members: ['api_key', 'number'],
    },
  ]),
  routes: panelRoutes,
}
