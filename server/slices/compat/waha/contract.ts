import { z } from 'zod'
import { boundedList, looseText } from '../../../contract/fields.ts'

// Members of WAHA's API that Kurir takes (waha.devlike.pro, "Send messages"; the requests of
// devlikeapro/n8n-nodes-waha). Others are ignored.
const session = looseText(
  'Sender: its code, or `default` for the sender of a device key or for the only linked sender.',
).optional()
const common = {
  session,
  chatId: looseText(
    'Recipient: a phone number, with or without `@c.us`, or the id of a group (`…@g.us`).',
    '6281234567890@c.us',
  ),
  reply_to: looseText('Not supported: a request that names a message here is refused.').optional(),
  mentions: boundedList(z.string().max(128), 1_000)
    .describe('Not supported: a request that names anybody here is refused.')
    .optional(),
  buttons: z.unknown().describe('Not supported: a request with buttons is refused.').optional(),
}
const flag = z.unknown().describe('Ignored.').optional()

export const wahaTextRequest = z.object({
  ...common,
  text: looseText('Text of the message.', 'Pesanan siap'),
  linkPreview: flag,
  linkPreviewHighQuality: flag,
})

/** Members of the deprecated GET, with which older programs send texts. */
export const wahaTextQuery = z.object({
  session,
  phone: looseText('Recipient: a phone number, or the id of a group (`…@g.us`), as in `chatId`.', '6281234567890'),
  text: wahaTextRequest.shape.text,
})

const text = z.string().max(2_048).nullish()
const file = z.object({
  url: text.meta({ description: 'URL of the file.', examples: ['https://shop.example/inv-1001.pdf'] }),
  data: text.describe('The file itself as base64, up to 8 MiB.'),
  mimetype: text.describe('MIME type. Used only if it cannot be detected from the content.'),
  filename: text.describe('File name that the recipient sees.'),
  file_id: text.describe('Id of a file that was uploaded with POST /files.'),
})

export const wahaFileRequest = z.object({
  ...common,
  file: file.optional(),
  url: text.describe('URL of the file, used if `file.url` is omitted.'),
  caption: looseText('Caption of the file.').optional(),
  convert: flag,
  asNote: flag,
})

/** WAHA's `Message`, with the members of all its engines in which clients look for an id. */
export const wahaMessage = z.object({
  id: z.string().describe('Id of the message in the form `true_<chat>_<id>`, the same as in callbacks.'),
  timestamp: z.number(),
  from: z.string(),
  fromMe: z.literal(true),
  source: z.literal('api'),
  to: z.string(),
  participant: z.null(),
  body: z.string(),
  hasMedia: z.boolean(),
  media: z.null(),
  ack: z.literal(0),
  ackName: z.literal('PENDING'),
  replyTo: z.null(),
  vCards: z.array(z.string()),
  key: z.object({ remoteJid: z.string(), fromMe: z.literal(true), id: z.string() }),
  _data: z.object({
    id: z.object({ fromMe: z.literal(true), remote: z.string(), id: z.string(), _serialized: z.string() }),
  }),
})

/** Body of calls that bots make around each message, such as startTyping. They change nothing. */
export const wahaChatRequest = z.object({ session, chatId: looseText('Id of a chat. Ignored.').optional() })
export const wahaResult = z.object({ result: z.literal(true) })

export const wahaActionParams = z.object({
  action: z
    .string()
    .meta({ description: 'Name of any other call of WAHA, such as `sendPoll`.', examples: ['sendPoll'] }),
})

export const WAHA_STATUSES = ['STOPPED', 'STARTING', 'SCAN_QR_CODE', 'WORKING', 'FAILED'] as const
export const wahaMe = z.object({ id: z.string(), pushName: z.string() }).nullable()
export const wahaSession = z.object({
  name: z.string(),
  status: z.enum(WAHA_STATUSES),
  config: z.object({}),
  me: wahaMe,
  engine: z.object({ engine: z.string() }),
})
export const wahaSessions = z.array(wahaSession)
export const wahaSessionParams = z.object({
  session: z.string().meta({
    description: 'Sender: its code, or `default` for the sender of a device key or for the only linked sender.',
    examples: ['default'],
  }),
})
/** Body of the older call that starts a session, which names the session in the body. */
export const wahaStartRequest = z.object({
  name: session,
  config: z
    .object({ webhooks: boundedList(z.unknown(), 1_000).nullish() })
    .describe('Not supported: a configuration with webhooks is refused.')
    .nullish(),
})
export const wahaSessionActionParams = wahaSessionParams.extend({
  action: z
    .string()
    .meta({ description: 'Requested action, such as `restart`. Every action is refused.', examples: ['restart'] }),
})

export const wahaExistsQuery = z.object({
  phone: looseText('Phone number to check.', '6281234567890'),
  session,
})
export const wahaExists = z.object({ numberExists: z.boolean(), chatId: z.string().optional() })

export const wahaVersion = z.object({
  version: z.string(),
  engine: z.string(),
  tier: z.string(),
  browser: z.null(),
})

export const wahaPong = z.object({ message: z.literal('pong') })
export const wahaFailure = z.object({ statusCode: z.number(), message: z.string(), error: z.string().optional() })
