import { z } from 'zod'
import { answer } from './envelope.ts'
import { phoneInput } from './phone.ts'
import { referenceFields } from './reference.ts'

export const MESSAGE_MAX = 65_536
export const DELAY_MAX_SECONDS = 2_592_000

export const senderCodeInput = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(64, 'is too long')
  .describe('Needed when a Global key reaches several senders.')

/** http(s) without credentials: those would end up in logs and in the message's history. */
function isFileUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** POST /send, section 2.1 of the interface. Unknown members are ignored. */
export const sendRequest = z
  .object({
    phone: phoneInput.describe('International number, digits only.'),
    // The limit is one of UTF-16 units; zod's own `max` counts code points.
    message: z
      .string('must be a string')
      .refine((text) => text.length <= MESSAGE_MAX, `must have at most ${MESSAGE_MAX} characters`)
      .meta({ maxLength: MESSAGE_MAX }),
    sender_code: senderCodeInput.optional(),
    file: z
      .string('must be a string')
      .max(2048, 'must have at most 2048 characters')
      .refine(isFileUrl, 'must be an http or https address without user name and password')
      .optional()
      .describe('Address of an image, PDF, audio or video.'),
    delay: z
      .number('must be a number of seconds')
      .min(0, 'must not be negative')
      .max(DELAY_MAX_SECONDS, 'must be at most 2592000 (30 days)')
      .default(0)
      .describe('Seconds to wait before sending.'),
    ...referenceFields,
  })
  .refine((body) => body.message.length > 0 || body.file !== undefined, {
    message: 'must not be empty without a file',
    path: ['message'],
    when: ({ value }) => typeof (value as { message?: unknown } | null)?.message === 'string',
  })
export type SendRequest = z.infer<typeof sendRequest>

const metadataOut = z.record(z.string(), z.unknown())

/** Section 2.2 of the interface. */
export const sendAnswer = answer(
  z.object({
    id: z.uuid(),
    message_id: z.uuid(),
    sender_code: z.string(),
    recipient: z.string(),
    status: z.literal('queued'),
    metadata: metadataOut,
  }),
)
