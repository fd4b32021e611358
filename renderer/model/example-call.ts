import type { SenderView } from '../../server/contract/senders.ts'
import type { ApiCall } from './snippets.ts'

const PHONE = '6281234567890'
const REFERENCE = 'INV-1001'

/**
 * Returns a first call through a sender, ready to paste. If `sender` is undefined the call names no
 * sender.
 */
export function exampleCall(sender: SenderView | undefined, apiUrl: string, message: string): ApiCall {
  const common = {
    ...(sender === undefined ? {} : { sender_code: sender.sender_code }),
    phone: PHONE,
    reference_id: REFERENCE,
  }
  return sender?.kind === 'official'
    ? { url: `${apiUrl}/waba/send-template`, body: { ...common, template_name: 'hello_world', language: 'en_US' } }
    : { url: `${apiUrl}/send`, body: { ...common, message } }
}
