import type { SendRequest } from '../../../contract/send.ts'
import { type TemplateRequest, templateRequest } from '../../../contract/templates.ts'
import { createCallReader } from '../../../http/read-call.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { readSend } from '../sending.ts'
import type { CloudMessageRequest } from './contract.ts'
import { groupUnknown, notSupported } from './failure.ts'

const templates = createCallReader({ body: templateRequest })

/** Types of messages besides templates. */
const TYPES = ['text', 'image', 'video', 'document', 'audio'] as const

const required = (field: string) => invalidRequest([fieldProblem(field, 'required')])

const RECIPIENT_TYPES = ['individual', 'group']

/** The recipient, where a request is a message that Kurir can send. @throws ApiError */
export function recipientOf(body: CloudMessageRequest): string {
  const { to, type, status, recipient_type } = body
  if (status !== undefined) throw notSupported('status', 'Kurir marks no message as read and shows nobody typing.')
  if (recipient_type !== undefined && !RECIPIENT_TYPES.includes(recipient_type)) {
    throw notSupported('recipient_type', `${recipient_type} is not possible, only individual and group`)
  }
  if (isToGroup(body) && type === 'template') {
    throw groupUnknown('Templates go to people only: they leave by an official sender, which is in no group.')
  }
  if (to === undefined) throw required('to')
  return String(to)
}

/** True if a message goes to a group (developers.facebook.com, "Groups API", "Group messaging"). */
export const isToGroup = ({ recipient_type }: CloudMessageRequest): boolean => recipient_type === 'group'

/** The request of /send that a message amounts to. @throws ApiError */
export function sendOf(body: CloudMessageRequest, to: string): SendRequest {
  const recipient = isToGroup(body) ? { group: to } : { phone: to }
  const type = TYPES.find((each) => each === (body.type ?? 'text'))
  if (type === undefined) {
    throw notSupported('type', `${body.type} is not possible. Kurir sends ${TYPES.join(', ')} and template.`)
  }
  if (body.context?.message_id != null) {
    throw notSupported('context', 'answers to a message are not possible, leave context out')
  }
  if (type === 'text') {
    if (body.text === undefined) throw required('text')
    return readSend({ ...recipient, message: body.text.body })
  }
  const media = body[type]
  if (media === undefined) throw required(type)
  const { link, id } = media
  if (link == null && id == null) throw required(`${type}.link`)
  const filename = 'filename' in media ? media.filename : null
  return readSend({
    ...recipient,
    message: ('caption' in media ? media.caption : undefined) ?? '',
    ...(link == null ? { file_id: id } : { file: link }),
    ...(filename == null || filename === '' ? {} : { filename }),
  })
}

/** The request of /waba/send-template that a message amounts to. @throws ApiError */
export function templateOf({ template, context }: CloudMessageRequest, to: string): TemplateRequest {
  if (template === undefined) throw required('template')
  const { name, language, components } = template
  const request = {
    phone: to,
    template_name: name,
    language: language.code,
    ...(components == null ? {} : { components }),
    ...(context?.message_id == null ? {} : { context }),
  }
  return templates.read({ params: {}, query: {}, body: request }).body as TemplateRequest
}

/**
 * The id of a message in the form of Meta's. It follows from Kurir's own, because Meta's is not
 * known before the message leaves, and a linked number has none.
 */
export const wamidOf = (id: string): string => `wamid.${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64')}`
