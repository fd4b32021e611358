import { isGroupId, normalisePhone } from '../../../contract/phone.ts'
import type { SenderRow } from '../../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { cannot } from './failure.ts'

export const personOf = (phone: string): string => `${phone}@c.us`

const chatOf = (recipient: string): string => (isGroupId(recipient) ? recipient : personOf(recipient))

/** Ends of the ids of chats that are no person and no group. */
const OTHERS: Readonly<Record<string, string>> = {
  lid: 'write to the number, not to a hidden id',
  newsletter: 'channels are not possible',
  broadcast: 'a status is not possible',
}

/** The number of the person whose chat an id names. @throws ApiError where it is another chat */
export function phoneOf(chatId: string, { settings }: SenderRow, field = 'chatId'): string {
  const [, number = '', end] = /^([^@]*)(?:@(.*))?$/s.exec(chatId.trim()) ?? []
  const why = OTHERS[end ?? '']
  if (why !== undefined) throw cannot(field, why)
  if (end !== undefined && end !== 'c.us' && end !== 's.whatsapp.net') {
    throw invalidRequest([fieldProblem(field, 'wrong_form', { example: '6281234567890@c.us' })])
  }
  const read = normalisePhone(number, settings.country_code)
  if (!read.ok) throw invalidRequest([fieldProblem(field, read.problem)])
  return read.phone
}

/** The recipient of the chat that an id names, as /send has it. @throws ApiError */
export const recipientOf = (chatId: string, sender: SenderRow): { group: string } | { phone: string } =>
  isGroupId(chatId.trim()) ? { group: chatId.trim() } : { phone: phoneOf(chatId, sender) }

/**
 * Parts of the id of one of our messages. It follows from Kurir's own, because WhatsApp's is not
 * known before the message leaves, and may be another one when it is tried again.
 */
export function messageIdOf(message: { id: string; recipient: string }) {
  const id = message.id.replaceAll('-', '').toUpperCase()
  const remote = chatOf(message.recipient)
  return { fromMe: true as const, remote, id, _serialized: `true_${remote}_${id}` }
}
