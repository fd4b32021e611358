import { type CallOutline, type Gateway, isOneOf } from '../../http/outline.ts'

const ANY = ['GET', 'POST', 'PUT', 'PATCH']

/** Has no mouth: what it sends to is Twilio's own account. */
const twilio: Gateway = {
  name: 'Twilio',
  mouth: null,
  looksLike: isOneOf([
    {
      source: 'twilio.com/docs/messaging/api/message-resource',
      methods: ['GET', 'POST'],
      path: /^\/2010-04-01\/Accounts\//,
    },
    {
      source: 'twilio.com/docs/messaging/api/message-resource, with another address',
      methods: ['POST'],
      path: /\/(Messages\.json|send)$/,
      members: ['To', ['Body', 'ContentSid', 'MediaUrl']],
      key: ['basic'],
    },
  ]),
}

/** Name of the calls that are meant for Kurir, and nearly right. */
export const SLIP = 'Kurir'

const NUMBER = ['phone', 'to', 'number', 'recipient', 'msisdn', 'nomor', 'no_hp', 'tujuan', 'destination']
const TEXT = ['message', 'text', 'body', 'msg', 'pesan', 'content']

const isSlip = isOneOf([
  {
    source: 'docs/api.md: /send, without a version or a folder',
    methods: ['POST'],
    path: /^(?:\/api)?(?:\/v\d)?(?:\/kurir)?\/(?:send|sends|send-message|message|messages)\/?$/i,
    members: [NUMBER, TEXT],
  },
  { source: 'docs/api.md: sending is POST', methods: ['GET', 'PUT', 'PATCH'], path: /^\/send\/?$/i, members: [NUMBER] },
  { source: 'docs/api.md: members of /send elsewhere', methods: ANY, path: /^\//, members: ['phone', 'sender_code'] },
])

/** A call that is right in all that an outline shows: something else was wrong with it. */
const isRight = ({ method, path, members }: CallOutline): boolean =>
  method === 'POST' && /^\/(send|waba\/send-template)\/?$/i.test(path) && (members.has('phone') || members.has('group'))

const kurir: Gateway = { name: SLIP, mouth: null, looksLike: (call) => !isRight(call) && isSlip(call) }

/** The name of the gateway that a call was meant for; null: it is like none. Pure. */
export const recognise = (mouths: readonly Gateway[], call: CallOutline): string | null =>
  [...mouths, twilio, kurir].find(({ looksLike }) => looksLike(call))?.name ?? null
