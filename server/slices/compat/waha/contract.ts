import { z } from 'zod'
import { boundedList, looseText } from '../../../contract/fields.ts'

/**
 * The members of WAHA's API that Kurir takes (waha.devlike.pro, "Send messages"; the requests of
 * devlikeapro/n8n-nodes-waha). What is not listed is ignored.
 */
const session = looseText('Code of a sender; `default` is the only one, or that of the key.').optional()
const common = {
  session,
  chatId: looseText('A person: the number, with or without `@c.us`; a group: its id.', '6281234567890@c.us'),
  reply_to: looseText('Refused where it names a message.').optional(),
  mentions: boundedList(z.string().max(128), 1_000).describe('Refused where it names anybody.').optional(),
  buttons: z.unknown().describe('Refused.').optional(),
}
const flag = z.unknown().describe('Changes nothing.').optional()

export const wahaTextRequest = z.object({
  ...common,
  text: looseText('The text.', 'Pesanan siap'),
  linkPreview: flag,
  linkPreviewHighQuality: flag,
})

/** The older way to send a text. */
export const wahaTextQuery = z.object({
  session,
  phone: looseText('A person or a group, as `chatId`.', '6281234567890'),
  text: wahaTextRequest.shape.text,
})

const text = z.string().max(2_048).nullish()
const file = z.object({
  url: text.meta({ description: 'Address of the file.', examples: ['https://shop.example/inv-1001.pdf'] }),
  data: text.describe('The file itself as base64, up to 8 MiB.'),
  mimetype: text.describe('Counts where the file does not say it.'),
  filename: text.describe('Name that the recipient sees.'),
  file_id: text.describe('A file that was sent to /files.'),
})

export const wahaFileRequest = z.object({
  ...common,
  file: file.optional(),
  url: text.describe('Another place for `file.url`.'),
  caption: looseText('The text below it.').optional(),
  convert: flag,
  asNote: flag,
})

/** As `Message` of WAHA, with the members of each of its engines that clients look for an id in. */
export const wahaMessage = z.object({
  id: z.string().describe('`true_<chat>_<id>`; callbacks have the same.'),
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

/** Calls that bots make around each message; they change nothing. */
export const wahaChatRequest = z.object({ session, chatId: looseText('Any chat.').optional() })
export const wahaResult = z.object({ result: z.literal(true) })

export const wahaActionParams = z.object({
  action: z.string().meta({ description: 'Any other call of WAHA.', examples: ['sendPoll'] }),
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
  session: z.string().meta({ description: 'A sender by its code, or `default`.', examples: ['default'] }),
})
/** How sessions were started before they had addresses. */
export const wahaStartRequest = z.object({
  name: session,
  config: z
    .object({ webhooks: boundedList(z.unknown(), 1_000).nullish() })
    .describe('Refused where it adds webhooks.')
    .nullish(),
})
export const wahaSessionActionParams = wahaSessionParams.extend({
  action: z.string().meta({ description: 'What is to be done with it.', examples: ['restart'] }),
})

export const wahaExistsQuery = z.object({
  phone: looseText('The number.', '6281234567890'),
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
