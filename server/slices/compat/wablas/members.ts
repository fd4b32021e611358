import { z } from 'zod'
import { looseText } from '../../../contract/fields.ts'
import { noFileAlong } from '../mouth.ts'

// Members of Wablas' API that Kurir takes (wablas.com/documentation/api). Others are ignored. Its
// clients send them in an address, a form or JSON.
const flag = z
  .union([z.boolean(), z.string().max(10), z.number()])
  .nullable()
  .optional()

const members = {
  phone: looseText('Phone numbers, separated by commas.', '6281234567890'),
  isGroup: flag.describe('True: `phone` is the id of a group, with or without `@g.us`.'),
  ref_id: z
    .union([z.string().max(255), z.number()])
    .transform(String)
    .nullish()
    .describe('Your own identifier of the message, returned in the response and in callbacks.'),
  file_id: noFileAlong,
}
const caption = looseText('Caption of the file.').nullable().optional()
const address = looseText('URL of the file.', 'https://shop.example/inv-1001.pdf')

const textEntry = z.object({ ...members, message: looseText('Text of the message.', 'Pesanan siap') })
export const wablasTextQuery = textEntry.omit({ file_id: true }).extend({
  token: looseText('API key. A dot and a secret may follow it, which are ignored.').optional(),
})

/** Several messages in one call: Wablas calls this version 2. */
const listOf = <T extends z.ZodType>(entry: T) => z.object({ data: z.array(entry).min(1).max(100) })

// Programs send both forms, one message or a list, to both versions' addresses.
export const wablasTextRequest = z.union([textEntry, listOf(textEntry)])
const imageEntry = z.object({ ...members, image: address, caption })
const documentEntry = z.object({ ...members, document: address, caption })
const videoEntry = z.object({ ...members, video: address, caption })
const audioEntry = z.object({ ...members, audio: address, caption })
export const wablasImageRequest = z.union([imageEntry, listOf(imageEntry)])
export const wablasDocumentRequest = z.union([documentEntry, listOf(documentEntry)])
export const wablasVideoRequest = z.union([videoEntry, listOf(videoEntry)])
export const wablasAudioRequest = z.union([audioEntry, listOf(audioEntry)])

export const wablasLocalRequest = z.object({
  ...members,
  file: z
    .string()
    .meta({
      'x-needed': true,
      description: 'The file itself as base64, up to 8 MiB.',
      examples: ['JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZz4+ZW5kb2JqCg=='],
    })
    .optional(),
  file_id: z
    .string()
    .max(64)
    .describe('Id of a file that was uploaded with POST /files, instead of `file`.')
    .optional(),
  caption,
  filename: looseText('File name that the recipient sees.', 'inv-1001.pdf').nullable().optional(),
  name_file: looseText('Alias of `filename`.').nullable().optional(),
})

export type WablasEntry = z.output<
  typeof textEntry | typeof imageEntry | typeof documentEntry | typeof videoEntry | typeof audioEntry
>
export type WablasRequest = WablasEntry | { data: WablasEntry[] }
export type WablasLocalRequest = z.output<typeof wablasLocalRequest>

const timezone = looseText(
  'Time zone of the time, such as `Asia/Jakarta`. Default: the time zone of this PC.',
  'Asia/Jakarta',
)
  .nullable()
  .optional()
export const wablasScheduleRequest = textEntry.extend({
  date: looseText('Date to send the message.', '2026-12-01'),
  time: looseText('Time of day to send the message.', '09:00:00'),
  timezone,
})
const scheduleEntry = z.object({
  ...members,
  category: z.literal('text').describe('Only `text` is supported.').optional(),
  scheduled_at: looseText('Date and time to send the message.', '2026-12-01 09:00:00'),
  timezone,
  text: looseText('Text of the message.', 'Pesanan siap'),
})
export const wablasSchedulesRequest = listOf(scheduleEntry)
export type WablasSchedule = z.output<typeof wablasScheduleRequest>
export type WablasSchedules = z.output<typeof wablasSchedulesRequest>
export const wablasScheduleId = z.object({
  id: z.string().describe('Id of the scheduled message, from `messages` in the response that scheduled it.'),
})

export const wablasSent = z.object({
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
export const wablasDevice = z.object({
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
export const wablasFailure = z.object({ status: z.literal(false), message: z.string() })

export const wablasScheduled = z.object({
  status: z.literal(true),
  category: z.literal('text'),
  message: z.string(),
  'phones list': z.array(z.string()),
  messages: z.array(
    z.object({
      id: z.string(),
      phone: z.string(),
      message: z.string(),
      status: z.literal(true),
      timezone: z.string(),
      schedule_at: z.string(),
    }),
  ),
})
export const wablasDone = z.object({ status: z.literal(true), message: z.string() })
