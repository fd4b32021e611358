import type { SenderView } from '../../server/contract/senders.ts'
import type { ApiCall } from './snippets.ts'

/** A first call for a new key: through its own sender, otherwise through the sandbox, where nothing leaves the PC. */
export function exampleCall(sender: SenderView | undefined, apiUrl: string, message: string): ApiCall {
  const common = { sender_code: sender?.sender_code ?? 'SND-SANDBOX', phone: '6281234567890', reference_id: 'INV-1001' }
  return sender?.kind === 'official'
    ? {
        url: `${apiUrl}/waba/send-template`,
        body: { ...common, template_name: 'hello_world', language: 'en_US' },
      }
    : { url: `${apiUrl}/send`, body: { ...common, message } }
}
