import { keyOf } from '../../access/keys.ts'
import { sendAnswer, sendRequest } from '../../contract/send.ts'
import { rawMember } from '../../lib/json.ts'
import { acceptRequest } from '../../messages/accept.ts'
import type { MessageContext } from '../../messages/context.ts'
import type { AsSent } from '../../messages/new-message.ts'
import { queuedView } from '../../messages/view.ts'
import { checkOwnSender, NO_GROUPS, pickSender } from '../../senders/pick.ts'
import { SEND_BODY_LIMIT } from '../body.ts'
import type { FormReader } from '../form.ts'
import { type Idempotency, runOnce } from '../idempotency.ts'
import { type Call, defineRoute, ok, type Route } from '../route.ts'

/** The parts of a call that its message keeps as they came. */
export const asSent = ({ body, raw, unknownMembers }: Call<unknown, unknown, { metadata?: unknown }>): AsSent => ({
  // Looked for only where it is: most bodies are small and have none.
  metadata:
    body.metadata === undefined ? undefined : rawMember(raw.toString('utf8').replace(/^\ufeff/, ''), 'metadata'),
  unknownMembers,
})

export const sendRoutes = (context: MessageContext, readForm: FormReader, idempotency: Idempotency): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/send',
    auth: 'key_or_owner',
    tag: 'Sending',
    summary: 'Send a text or file from a linked number',
    description:
      'The answer means that the message is on disk, in the queue of its sender. What becomes of it is reported to your webhooks, and can be read at `GET /messages/{id}`.',
    errors: [404, 409, 422],
    body: sendRequest,
    bodyLimit: SEND_BODY_LIMIT,
    admit: (caller) => checkOwnSender(context.store.senders, caller, 'linked'),
    form: readForm,
    answer: sendAnswer,
    handler: (call) =>
      runOnce(idempotency, call, '/send', (slot) => {
        const { caller, body } = call
        const description = body.group === undefined ? undefined : NO_GROUPS
        const sender = pickSender(context.store.senders, caller, body.sender_code, 'linked', description)
        return acceptRequest(context, {
          sender,
          key: keyOf(caller),
          request: body,
          asSent: asSent(call),
          answer: (message) => ok('Message queued.', queuedView(message, sender.code)),
          slot,
        })
      }),
  }),
]
