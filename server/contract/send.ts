import { z } from 'zod'
import { answer } from './envelope.ts'
import { FILENAME_MAX } from './files.ts'
import { priority, purpose } from './messages.ts'
import { phoneInput } from './phone.ts'
import { referenceFields } from './reference.ts'

export const MESSAGE_MAX = 65_536
export const DELAY_MAX_SECONDS = 2_592_000

export const senderCodeInput = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(64, 'is too long')
  .describe('Needed when a Global key reaches several senders.')

/** A file on this PC: `file:///…`, without a host. */
export const isLocalFile = (address: string): boolean => /^file:/i.test(address)

/** http(s) without credentials, which would end up in logs and in the message's history; or a file on this PC. */
function isFileUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return false
  return /^https?:$/.test(url.protocol) || (url.protocol === 'file:' && url.hostname === '')
}

const time = z.iso.datetime({
  offset: true,
  error: 'must be a time with its offset, such as 2026-11-21T15:00:00+07:00',
})

/** When a message leaves, how long it counts, and what it passes in its lane. */
export const schedulingFields = {
  send_at: time.nullish().describe('At most 30 days ahead; excludes `delay`. A time that is over means now.'),
  expires_at: time.nullish().describe('A message that has not left by then is `failed` with `expired`.'),
  priority: priority
    .nullish()
    .describe('`high` passes what waits in the lane, `low` waits while others are due. Default: `normal`.'),
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
      .refine(isFileUrl, 'must be an http or https address without user name and password, or file:///…')
      .optional()
      .describe('Address of an image, PDF, audio or video; `file:///…` below a folder that the owner allowed.'),
    file_id: z.string().min(1).max(64).nullish().describe('A file that was sent to /files; excludes `file`.'),
    filename: z.string().min(1).max(FILENAME_MAX).nullish().describe('Name of the file that the recipient sees.'),
    delay: z
      .number('must be a number of seconds')
      .min(0, 'must not be negative')
      .max(DELAY_MAX_SECONDS, 'must be at most 2592000 (30 days)')
      .default(0)
      .describe('Seconds to wait before sending.'),
    ttl: z
      .number('must be a number of seconds')
      .min(30, 'must be at least 30')
      .max(DELAY_MAX_SECONDS, 'must be at most 2592000 (30 days)')
      .nullish()
      .describe('Seconds from when it is due, instead of `expires_at`.'),
    purpose: purpose
      .nullish()
      .describe('`marketing` does not go to customers who opted out. Default: `transactional`.'),
    ...schedulingFields,
    ...referenceFields,
  })
  .refine((body) => body.file === undefined || body.file_id == null, {
    message: 'must not be given together with file',
    path: ['file_id'],
  })
  .refine((body) => body.send_at == null || body.delay === 0, {
    message: 'must not be given together with delay',
    path: ['send_at'],
  })
  .refine((body) => body.expires_at == null || body.ttl == null, {
    message: 'must not be given together with expires_at',
    path: ['ttl'],
  })
  .refine((body) => body.message.length > 0 || body.file !== undefined || body.file_id != null, {
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
