import { z } from 'zod'
import { looseText } from '../../../contract/fields.ts'

/**
 * The members of Wablas' API that Kurir takes (wablas.com/documentation/api). Its clients send
 * them in an address, a form or JSON; what is not listed is ignored.
 */
const flag = z
  .union([z.boolean(), z.string().max(10), z.number()])
  .nullable()
  .optional()

const common = {
  phone: looseText('Numbers with commas between them.', '6281234567890'),
  isGroup: flag.describe('The number is the id of a group, without its end.'),
  ref_id: z
    .union([z.string().max(255), z.number()])
    .transform(String)
    .nullish()
    .describe('Comes back with the message, and in its callbacks.'),
}
const caption = looseText('The text below it.').nullable().optional()
const address = looseText('Address of the file.', 'https://shop.example/inv-1001.pdf')

const text = z.object({ ...common, message: looseText('The text.', 'Pesanan siap') })
export const wablasTextQuery = text.extend({
  token: looseText('The API key, alone or before a dot and a secret.').optional(),
})

/** Several messages in one call, which Wablas calls its version 2. */
const listOf = <T extends z.ZodType>(entry: T) => z.object({ data: z.array(entry).min(1).max(100) })

// Both forms are sent to both addresses.
export const wablasTextRequest = z.union([text, listOf(text)])
const image = z.object({ ...common, image: address, caption })
const document = z.object({ ...common, document: address, caption })
const video = z.object({ ...common, video: address, caption })
export const wablasImageRequest = z.union([image, listOf(image)])
export const wablasDocumentRequest = z.union([document, listOf(document)])
export const wablasVideoRequest = z.union([video, listOf(video)])

export type WablasEntry = z.output<typeof text | typeof image | typeof document | typeof video>
export type WablasRequest = WablasEntry | { data: WablasEntry[] }

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
