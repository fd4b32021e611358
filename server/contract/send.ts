import { z } from 'zod'
import { problem, readIssue } from './field-problems.ts'
import { answer, isObject, isoTime } from './fields.ts'
import { groupInput } from './groups.ts'
import { priority, purpose } from './messages.ts'
import { phoneInput } from './phone.ts'

const FILENAME_MAX = 255

/** Headers of POST /files with a raw body. A name that is not ASCII is percent-encoded UTF-8. */
export const fileHeaders = z.object({
  'X-Filename': z
    .string()
    .max(3 * FILENAME_MAX)
    .optional()
    .describe('File name that the recipient sees, percent-encoded as UTF-8, such as `Price%20list.pdf`.'),
})

/** A file that a caller uploaded before sending it. */
const fileView = z.object({
  file_id: z.string(),
  name: z.string().describe('File name that the recipient sees.'),
  type: z
    .string()
    .describe('MIME type. It is detected from the content if possible, otherwise from the name or the request.'),
  size: z.number().int().describe('Size in bytes.'),
  sha256: z.string(),
  expires_at: isoTime.describe('The file is kept until this time, and longer while messages with it are waiting.'),
})
export type FileView = z.infer<typeof fileView>
export const fileAnswer = answer(fileView)

export const METADATA_MAX_BYTES = 16 * 1024
const METADATA_MAX_DEPTH = 20

type Json = Record<string, unknown>

function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((member) => deeperThan(member, levels - 1))
}

/** True if `value` has more members than METADATA_MAX_BYTES of JSON can hold. Checked first. */
function isTooLarge(value: Json): boolean {
  const waiting: unknown[] = [value]
  for (let seen = 0; waiting.length > 0; seen += 1) {
    if (seen + waiting.length > METADATA_MAX_BYTES) return true
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const members: unknown[] = Object.values(next)
    if (members.length > METADATA_MAX_BYTES) return true
    for (const member of members) waiting.push(member)
  }
  return false
}

/** A free JSON object. A schema that copies it would lose members such as `__proto__`. */
const metadataInput = z
  .custom<Json>(isObject, { abort: true, ...problem('wrong_type', { expected: 'object' }) })
  .refine((value) => !isTooLarge(value), { abort: true, ...problem('too_large', { max: METADATA_MAX_BYTES }) })
  .refine((value) => !deeperThan(value, METADATA_MAX_DEPTH), problem('too_deep', { max: METADATA_MAX_DEPTH }))
  .meta({
    type: 'object',
    description:
      'Your own data, a JSON object of at most 16 KiB and 20 levels. Every callback about the message contains it.',
  })

const referenceInput = z
  .string()
  .min(1)
  .max(256)
  .nullish()
  .meta({ examples: ['INV-1001'] })

/** The members that carry the caller's own identifier; mixed into every send request. */
export const referenceFields = {
  reference_id: referenceInput.describe(
    'Your own identifier of the message, such as an invoice number. Lists and callbacks contain it as `reference_id`; the response of POST /send contains it in `metadata`.',
  ),
  referenceId: referenceInput.describe('Alias of `reference_id`.'),
  ref_id: referenceInput.describe('Alias of `reference_id`.'),
  metadata: metadataInput
    .check(({ value, issues }) => {
      const given = ownMember(value, 'reference_id')
      if (given === undefined) return
      const issue = referenceInput.safeParse(given, { reportInput: true }).error?.issues[0]
      if (issue === undefined) return
      const { code, values } = readIssue(issue)
      issues.push({ code: 'custom', input: given, path: ['reference_id'], ...problem(code, values) })
    })
    .optional(),
}

function ownMember(object: Json, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

export interface References {
  reference_id?: string | null | undefined
  referenceId?: string | null | undefined
  ref_id?: string | null | undefined
  metadata?: Json | undefined
}

/** Returns the caller's reference: `reference_id`, else an alias, else that of `metadata`. */
export function pickReference(body: References): string | null {
  const inMetadata = body.metadata === undefined ? undefined : ownMember(body.metadata, 'reference_id')
  return body.reference_id ?? body.referenceId ?? body.ref_id ?? (inMetadata as string | null | undefined) ?? null
}

export const MESSAGE_MAX = 65_536
export const DELAY_MAX_SECONDS = 2_592_000

export const senderCode = z
  .string()
  .min(1)
  .max(64)
  .meta({ examples: ['SND-SANDBOX'] })

/** `x-needed`: shown in examples although it is optional. */
export const senderCodeInput = senderCode.meta({
  'x-needed': true,
  description: 'Needed when a global key reaches several senders: code of the sender. A device key needs none.',
  examples: ['SND-SANDBOX'],
})

/** Prefix of a message's `file` if its bytes were uploaded. The `file_id` follows. */
export const UPLOAD_SCHEME = 'upload:'

/** Returns the `file_id` in a message's `file`; undefined if `file` is an address. */
export const uploadedFileId = (file: string | null): string | undefined =>
  file?.startsWith(UPLOAD_SCHEME) === true ? file.slice(UPLOAD_SCHEME.length) : undefined

/** True for the address of a file on this PC: `file:///…`. */
export const isLocalFile = (address: string): boolean => /^file:/i.test(address)

/**
 * True for http(s), or a file on this PC. Refuses credentials, because they would end up in logs
 * and in the message's history.
 */
function isFileUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return false
  return /^https?:$/.test(url.protocol) || (url.protocol === 'file:' && url.hostname === '')
}

export const time = z.iso.datetime({ offset: true }).meta({ examples: ['2026-11-21T15:00:00+07:00'] })

export const ttl = z.number().min(30).max(DELAY_MAX_SECONDS)

const schedulingFields = {
  send_at: time
    .describe(
      'Time to send the message, at most 30 days ahead. A time in the past means now. Cannot be combined with `delay`.',
    )
    .optional(),
  expires_at: time
    .describe(
      'Deadline: a message that has not been sent by then fails with `expired`. Default: 7 days after it is due.',
    )
    .optional(),
  priority: priority
    .describe(
      '`high`: sent before other waiting messages of the sender. `low`: sent when no other message is due. Default: `normal`.',
    )
    .optional(),
}

const isRecord = (value: unknown): boolean => value instanceof Object && !Array.isArray(value)

const hasRecipient = (body: { phone?: unknown; group?: unknown }): boolean =>
  body.phone !== undefined || body.group !== undefined

/** POST /send, section 2.1 of the interface. Unknown members are ignored. */
export const sendRequest = z
  .object({
    phone: phoneInput.optional(),
    group: groupInput.optional(),
    // The limit counts UTF-16 units; zod's own `max` counts code points.
    message: z
      .string()
      .refine((text) => text.length <= MESSAGE_MAX, problem('too_long', { max: MESSAGE_MAX }))
      .meta({
        maxLength: MESSAGE_MAX,
        description: 'Text of the message, or caption of the file. May be empty if there is a file.',
        examples: ['Your invoice is ready'],
      }),
    sender_code: senderCodeInput.optional(),
    file: z
      .string()
      .max(2048)
      .refine(isFileUrl, problem('not_an_address'))
      .meta({
        description:
          'URL of an image, document, audio or video: `http://`, `https://`, or `file:///…` for a file in a folder of this PC that the owner allowed.',
        format: 'uri',
        examples: ['https://shop.example/inv-1001.pdf'],
      })
      .optional(),
    file_id: z
      .string()
      .min(1)
      .max(64)
      .describe('Id of a file that was uploaded with POST /files. Cannot be combined with `file`.')
      .optional(),
    filename: z
      .string()
      .min(1)
      .max(FILENAME_MAX)
      .meta({ description: 'Name of the file that the recipient sees.', examples: ['INV-1001.pdf'] })
      .optional(),
    delay: z.number().min(0).max(DELAY_MAX_SECONDS).default(0).describe('Seconds to wait before the message is sent.'),
    ttl: ttl
      .describe('Seconds after the message is due until it expires. Cannot be combined with `expires_at`.')
      .optional(),
    purpose: purpose
      .describe('`marketing` messages are not sent to recipients who opted out. Default: `transactional`.')
      .optional(),
    ...schedulingFields,
    ...referenceFields,
  })
  .refine(hasRecipient, { ...problem('required'), path: ['phone'], when: ({ value }) => isRecord(value) })
  .refine((body) => body.phone === undefined || body.group === undefined, {
    ...problem('not_together', { other: 'phone' }),
    path: ['group'],
  })
  .refine((body) => body.file === undefined || body.file_id === undefined, {
    ...problem('not_together', { other: 'file' }),
    path: ['file_id'],
  })
  .refine((body) => body.send_at === undefined || body.delay === 0, {
    ...problem('not_together', { other: 'delay' }),
    path: ['send_at'],
  })
  .refine((body) => body.expires_at === undefined || body.ttl === undefined, {
    ...problem('not_together', { other: 'expires_at' }),
    path: ['ttl'],
  })
  .refine((body) => body.message.length > 0 || body.file !== undefined || body.file_id !== undefined, {
    ...problem('empty_without_file'),
    path: ['message'],
    when: ({ value }) => typeof (value as { message?: unknown } | null)?.message === 'string',
  })
  .meta({
    examples: [
      {
        phone: '6281234567890',
        message: 'Your invoice is ready',
        sender_code: 'SND-SANDBOX',
        reference_id: 'INV-1001',
      },
    ],
  })
export type SendRequest = z.infer<typeof sendRequest>

const metadataOut = z
  .record(z.string(), z.unknown())
  .describe('Your `metadata` from the request, with your `reference_id` added to it if there is one.')

/** The answer once a message is on disk; section 2.2 of the interface. */
export const sendAnswer = answer(
  z.object({
    id: z.uuid(),
    message_id: z.uuid(),
    sender_code: z.string(),
    recipient: z.string(),
    status: z.literal('queued'),
    metadata: metadataOut,
  }),
).meta({
  examples: [
    {
      success: true,
      message: 'Message queued.',
      data: {
        id: '01a1feab-e730-7000-9982-5ab6c206febe',
        message_id: '01a1feab-e730-7000-9982-5ab6c206febe',
        sender_code: 'SND-SANDBOX',
        recipient: '6281234567890',
        status: 'queued',
        metadata: { reference_id: 'INV-1001' },
      },
    },
  ],
})
export type SendAnswer = z.infer<typeof sendAnswer>
