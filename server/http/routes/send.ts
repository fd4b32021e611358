import { type SendRequest, sendAnswer, sendRequest } from '../../contract/send.ts'
import { rawMember } from '../../lib/exact-json.ts'
import type { Accept } from '../../messages/accept.ts'
import { metadataOf } from '../../messages/view.ts'
import { pickSender } from '../../senders/pick.ts'
import type { NewMessage } from '../../store/rows.ts'
import type { Senders } from '../../store/sqlite/senders.ts'
import type { Once } from '../idempotency.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export interface SendDeps {
  accept: Accept
  once: Once
  senders: Pick<Senders, 'byCode' | 'get' | 'list'>
}

function answerOf(message: Pick<NewMessage, 'id' | 'recipient' | 'metadata' | 'referenceId'>, senderCode: string) {
  const reference = message.referenceId === null ? {} : { reference_id: message.referenceId }
  return ok('Message queued.', {
    id: message.id,
    message_id: message.id,
    sender_code: senderCode,
    recipient: message.recipient,
    status: 'queued' as const,
    metadata: { ...metadataOf(message), ...reference },
  })
}

/** The text of `metadata` as it was sent. Looked for only where it is: most bodies are small and have none. */
export const rawMetadata = (body: { metadata?: unknown }, raw: Buffer): string | undefined =>
  body.metadata === undefined ? undefined : rawMember(raw.toString('utf8').replace(/^\ufeff/, ''), 'metadata')

export const sendRoutes = ({ accept, once, senders }: SendDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/send',
    auth: 'key_or_owner',
    tag: 'Sending',
    summary: 'Send a text or file from a linked number',
    body: sendRequest,
    answer: sendAnswer,
    handler: (call) =>
      once.run(call, '/send', async (remember) => {
        const { key } = call.caller
        const body: SendRequest = call.body
        const sender = pickSender(senders, key, body.sender_code, 'linked')
        const message = await accept(
          { sender, key },
          body,
          rawMetadata(body, call.raw),
          remember && ((accepted) => remember(answerOf(accepted, sender.code))),
        )
        return answerOf(message, sender.code)
      }),
  }),
]
