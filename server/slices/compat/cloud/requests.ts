import { z } from 'zod'
import { shaped } from '../../../contract/fields.ts'
import type { SendRequest } from '../../../contract/send.ts'
import { type TemplateRequest, templateRequest } from '../../../contract/templates.ts'
import { createCallReader } from '../../../http/read-call.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { type Names, readSend } from '../sending.ts'
import { groupUnknown, notSupported } from './failure.ts'

// Members of Meta's Cloud API that Kurir takes (developers.facebook.com, "Messages"). Others are
// ignored.
const version = shaped(/^\d{1,3}$/, '26').describe('Version of the Cloud API, such as 26. Any version is accepted.')
const phoneNumberId = z
  .string()
  .max(64)
  .meta({
    description: "The sender: its code, its phone number in digits, or Meta's phone number ID.",
    examples: ['SND-SANDBOX'],
  })
export const cloudParams = z.object({ version, phone_number_id: phoneNumberId })

const media = {
  link: z.string().max(2_048).describe('URL of the file.').nullish(),
  id: z.string().max(64).describe('Id of a file that was uploaded to `media` or with POST /files.').nullish(),
}
const text = z.string().max(100_000)
const caption = text.describe('Caption of the file.').nullish()

const access_token = z.string().max(255).describe('API key, if it is not in a header.').optional()

export const cloudMessageRequest = z
  .object({
    access_token,
    messaging_product: z.literal('whatsapp').optional(),
    recipient_type: z.string().max(32).describe('`individual` or `group`. Default: `individual`.').optional(),
    to: z
      .union([z.string().max(64), z.number()])
      .describe(
        "Phone number of the recipient; or, with `recipient_type` `group`, the group's id (`…@g.us`) or exact name.",
      )
      .optional(),
    type: z
      .string()
      .max(64)
      .describe('Type of the message: `text`, `image`, `video`, `document`, `audio` or `template`. Default: `text`.')
      .optional(),
    text: z.object({ body: text }).optional(),
    image: z.object({ ...media, caption }).optional(),
    video: z.object({ ...media, caption }).optional(),
    document: z.object({ ...media, caption, filename: z.string().max(1_024).nullish() }).optional(),
    audio: z.object(media).optional(),
    template: z
      .object({
        name: z.string().max(512),
        language: z.object({ code: z.string().max(64) }),
        components: z.unknown().describe('Components of the template, as in POST /waba/send-template.').optional(),
      })
      .optional(),
    context: z.object({ message_id: z.string().max(512).nullish() }).optional(),
    biz_opaque_callback_data: z
      .string()
      .max(512)
      .describe('Your own text, returned in each status callback.')
      .optional(),
    status: z.string().max(32).describe('`read` is accepted without an effect. Other values are refused.').optional(),
  })
  .meta({
    examples: [{ messaging_product: 'whatsapp', to: '+6281234567890', type: 'text', text: { body: 'Pesanan siap' } }],
  })
export type CloudMessageRequest = z.output<typeof cloudMessageRequest>

export const cloudMediaRequest = z.object({
  access_token,
  messaging_product: z.string().max(32).optional(),
  type: z.string().max(256).describe('Ignored: the type is detected from the file.').optional(),
  file_id: z.string().max(64).describe('Id of an uploaded file, in place of the part `file` of the form.').optional(),
})
export const cloudMedia = z.object({
  id: z.string().describe('Id of the file, for `id` in `image`, `video`, `document` or `audio`.'),
})

/** The second form answers a call that marks a message as read. */
export const cloudSent = z
  .object({
    messaging_product: z.literal('whatsapp'),
    contacts: z.array(z.object({ input: z.string(), wa_id: z.string() })),
    messages: z.array(z.object({ id: z.string(), message_status: z.literal('accepted').optional() })),
  })
  .or(z.object({ success: z.literal(true) }))

/** A number as Meta describes it. Programs usually read it to check their setup. */
export const cloudNumber = z.object({
  id: z.string(),
  verified_name: z.string(),
  display_phone_number: z.string(),
  quality_rating: z.literal('UNKNOWN'),
})

export const cloudFailure = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    code: z.number(),
    error_subcode: z.number().optional(),
    is_transient: z.boolean().optional(),
    error_data: z.object({ messaging_product: z.literal('whatsapp'), details: z.string() }),
    fbtrace_id: z.string(),
  }),
})

const templates = createCallReader({ body: templateRequest })

/** Types of messages besides templates. */
const TYPES = ['text', 'image', 'video', 'document', 'audio'] as const

const required = (field: string) => invalidRequest([fieldProblem(field, 'required')])

const RECIPIENT_TYPES = ['individual', 'group']

/** Returns the recipient of a message. @throws ApiError if Kurir cannot send such a message */
export function recipientOf(body: CloudMessageRequest): string {
  const { to, type, status, recipient_type } = body
  if (status !== undefined) throw notSupported('status', `${status} is not possible, only read`)
  if (recipient_type && !RECIPIENT_TYPES.includes(recipient_type)) {
    throw notSupported('recipient_type', `${recipient_type} is not possible, only individual and group`)
  }
  if (isToGroup(body) && type === 'template') {
    throw groupUnknown('Templates go to people only: they leave by an official sender, which is in no group.')
  }
  if (to === undefined) throw required('to')
  return String(to)
}

/** See developers.facebook.com, "Groups API", "Group messaging". */
export const isToGroup = ({ recipient_type }: CloudMessageRequest): boolean => recipient_type === 'group'

/** Returns the names of /send's fields in a message. Pure. */
export const namesOf = ({ type = 'text' }: CloudMessageRequest): Names => ({
  phone: 'to',
  group: 'to',
  message: type === 'text' ? 'text.body' : `${type}.caption`,
  file: `${type}.link`,
  file_id: `${type}.id`,
  filename: `${type}.filename`,
})

/** Translates a message into a request of /send. @throws ApiError */
export function sendOf(body: CloudMessageRequest, to: string): SendRequest {
  const recipient = isToGroup(body) ? { group: to } : { phone: to }
  const type = TYPES.find((each) => each === (body.type ?? 'text'))
  if (type === undefined) {
    throw notSupported('type', `${body.type} is not possible. Kurir sends ${TYPES.join(', ')} and template.`)
  }
  if (body.context?.message_id) {
    throw notSupported('context', 'answers to a message are not possible, leave context out')
  }
  if (type === 'text') {
    if (body.text === undefined) throw required('text')
    return readSend({ ...recipient, message: body.text.body })
  }
  const media = body[type]
  if (media === undefined) throw required(type)
  const { link, id } = media
  if (!link && !id) throw required(`${type}.link`)
  const filename = 'filename' in media ? media.filename : null
  return readSend({
    ...recipient,
    message: ('caption' in media ? media.caption : undefined) ?? '',
    ...(link ? { file: link } : { file_id: id }),
    ...(filename ? { filename } : {}),
  })
}

/** Translates a message into a request of /waba/send-template. @throws ApiError */
export function templateOf({ template, context }: CloudMessageRequest, to: string): TemplateRequest {
  if (template === undefined) throw required('template')
  const { name, language, components } = template
  const request = {
    phone: to,
    template_name: name,
    language: language.code,
    ...(components == null ? {} : { components }),
    ...(context?.message_id ? { context } : {}),
  }
  return templates.read({ params: {}, query: {}, body: request }).body as TemplateRequest
}

/**
 * Returns a message's id in the form of Meta's ids. It is made from Kurir's own id, because Meta's
 * is unknown until the message leaves, and messages of linked numbers have none.
 */
export const wamidOf = (id: string): string => `wamid.${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64')}`
