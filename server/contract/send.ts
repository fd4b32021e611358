import { z } from 'zod'
import { answer } from './envelope.ts'
import { problem } from './field-problems.ts'
import { phoneInput } from './phone.ts'
import { referenceFields } from './reference.ts'

export const MESSAGE_MAX = 65_536
export const DELAY_MAX_SECONDS = 2_592_000

export const senderCodeInput = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Needed when a Global key reaches several senders.', examples: ['SND-SANDBOX'] })

/** http(s) without credentials: those would end up in logs and in the message's history. */
function isFileUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** POST /send, section 2.1 of the interface. Unknown members are ignored. */
export const sendRequest = z
  .object({
    phone: phoneInput,
    // The limit is one of UTF-16 units; zod's own `max` counts code points.
    message: z
      .string()
      .refine((text) => text.length <= MESSAGE_MAX, problem('too_long', { max: MESSAGE_MAX }))
      .meta({
        maxLength: MESSAGE_MAX,
        description: 'The text; the caption of a file.',
        examples: ['Your invoice is ready'],
      }),
    sender_code: senderCodeInput.optional(),
    file: z
      .string()
      .max(2048)
      .refine(isFileUrl, problem('not_an_address'))
      .meta({
        description: 'Address of an image, PDF, audio or video.',
        format: 'uri',
        examples: ['https://shop.example/inv-1001.pdf'],
      })
      .optional(),
    delay: z.number().min(0).max(DELAY_MAX_SECONDS).default(0).describe('Seconds to wait before sending.'),
    ...referenceFields,
  })
  .refine((body) => body.message.length > 0 || body.file !== undefined, {
    ...problem('empty_without_file'),
    path: ['message'],
    when: ({ value }) => typeof (value as { message?: unknown } | null)?.message === 'string',
  })
export type SendRequest = z.infer<typeof sendRequest>

const metadataOut = z.record(z.string(), z.unknown()).describe('As it was sent, with the `reference_id` as a member.')

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
