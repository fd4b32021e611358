import { createHmac } from 'node:crypto'
import { type BinaryNode, encodeBinaryNode, proto, S_WHATSAPP_NET } from 'baileys'
import { acceptedBody, numberBody } from '../support/graph-peer/answers.ts'
import type { RouteName } from '../support/graph-peer/routes.ts'
import { carousel, couponButton, offer, urlButton } from '../support/graph-peer/samples.ts'
import { textTemplate } from '../support/graph-peer/templates.ts'
import { APP_SECRET, NUMBER_ID, VERIFY_TOKEN, WABA_ID } from '../support/official.ts'
import { samples } from '../support/samples.ts'
import { doorMouth } from './doors.ts'
import { below, mutate, pick, type Random } from './mutate.ts'
import { print, tableFile } from './shop-files.ts'

/** Where something comes in, with what usually does. */
export interface Mouth {
  name: string
  /** How often, compared with the others. */
  weight: number
  to: 'callers' | 'meta' | 'printer' | 'whatsapp' | 'customer' | 'graph'
  /**
   * One input: for the ports of callers and Meta a whole request, for the printer's a print, for WhatsApp a stanza, for a customer what is sealed in a message,
   * for Graph the body of an answer.
   */
  input: (random: Random) => Buffer
  /** For Graph: the call that gets the answer, and the request that leads to it. */
  asks?: { route: RouteName; request: Buffer }
}

interface Keys {
  /** A device key of the sandbox. */
  device: string
  /** A device key of the official sender, and its code. */
  official: { key: string; code: string }
  owner: string
  /** A whole backup, and its passphrase. */
  backup: Buffer
  passphrase: string
}

type Headers = Record<string, string>

const HTTP_TOKENS = [
  ...[
    'Content-Length: 0',
    'Content-Length: 99999999999',
    'Transfer-Encoding: chunked\r\n',
    'Connection: close\r\n',
    'HTTP/1.0',
  ],
  ...[
    'Expect: 100-continue\r\n',
    'Upgrade: websocket\r\n',
    'Host: \r\n',
    'Host: example.com\r\n',
    'Content-Encoding: gzip\r\n',
  ],
  ...[
    'Origin: null\r\n',
    'OPTIONS ',
    'PATCH ',
    'HEAD ',
    '?limit=1e9',
    '?cursor=',
    '?q=%',
    '?phone[]=1',
    'Range: bytes=0-\r\n',
  ],
]
const FORM_TOKENS = [
  ...[
    '--b',
    '--b--',
    '\r\n--b\r\n',
    '\r\n--b--\r\n',
    'Content-Disposition: form-data; ',
    'name="',
    '; filename="',
    'filename*=',
    "UTF-8''",
  ],
  ...[
    'Content-Type: multipart/mixed; boundary=c\r\n',
    'Content-Transfer-Encoding: base64\r\n',
    'charset=utf-16le',
    'name="file"',
    '_charset_',
  ],
]
const JSON_TOKENS = [
  '"phone"',
  '"message":',
  '"metadata":{',
  '"file":"data:;base64,',
  '"delay":',
  '"send_at":',
  '":',
  '1e5',
  '"\\',
]
const CALLBACK_TOKENS = [
  '"statuses":[',
  '"messages":[',
  '"errors":[{',
  '"timestamp":"',
  '"field":"',
  '"changes":',
  '"value":',
  '"id":',
]
const CSV_TOKENS = ['phone', 'scope', 'sender_code', '""', '";"', '\r\n"', '=HYPERLINK(', '6281234567890']

const fields = { phone: '6281234567890', message: 'Terima kasih 🙏', reference_id: 'INV-1', delay: '0' }

/** A request with the right length, or now and then a wrong one. */
function request(random: Random, line: string, headers: Headers, body: Buffer): Buffer {
  const length = random() < 0.95 ? body.length : Math.max(0, body.length + below(random, 200) - 100)
  const all: Headers = { Host: '127.0.0.1', Connection: 'close', ...headers, 'Content-Length': String(length) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`), body])
}

function multipart(random: Random): Buffer {
  const part = (head: string, content: string | Buffer) =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ])
  const file = pick(random, [samples.png, samples.pdf, Buffer.from('x')])
  const parts = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value))
  const last = pick(random, ['file', 'foto', 'file', 'file'])
  parts.push(part(`name="${last}"; filename="a.png"\r\nContent-Type: image/png`, file))
  return Buffer.concat([...parts, Buffer.from('--b--\r\n')])
}

const JSON_BODIES: readonly [path: string, body: object][] = [
  ['/send', { ...fields, delay: 0, metadata: { total: 1.1, lines: [{ a: null }] } }],
  ['/send', { ...fields, delay: 0, send_at: '2026-12-01T08:00:00+07:00', priority: 'high', purpose: 'promotional' }],
  ['/waba/send-template', { phone: '6281234567890', template_name: 'invoice', language: 'id', parameters: ['a', 'b'] }],
  ['/suppressions', { phone: '6281234567890', scope: 'all' }],
  [
    '/compat/fonnte/send',
    { target: '081234567890|Ani|1,0812-3456-7891', message: 'Halo {name}', countryCode: '62', delay: '1-2' },
  ],
  ['/compat/waha/api/sendText', { session: 'default', chatId: '6281234567890@c.us', text: 'Halo', reply_to: null }],
  [
    '/compat/waha/api/sendFile',
    {
      chatId: '6281234567890@c.us',
      file: { mimetype: 'image/png', filename: 'a.png', data: samples.png.toString('base64') },
      caption: 'Nota',
    },
  ],
  [
    '/compat/cloud/v26.0/SND-SANDBOX/messages',
    { messaging_product: 'whatsapp', to: '+6281234567890', type: 'text', text: { body: 'Halo', preview_url: false } },
  ],
  [
    '/compat/cloud/v26.0/SND-SANDBOX/messages',
    {
      messaging_product: 'whatsapp',
      to: '6281234567890',
      type: 'template',
      template: { name: 'invoice', language: { code: 'id' }, components: [{ type: 'body', parameters: [] }] },
    },
  ],
]

const callback = (value: object) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: WABA_ID, changes: [{ field: 'messages', value }] }],
})
const metadata = { display_phone_number: '622155501234', phone_number_id: NUMBER_ID }
const CALLBACKS = [
  callback({
    messaging_product: 'whatsapp',
    metadata,
    statuses: [
      {
        id: 'wamid.X',
        status: 'delivered',
        timestamp: '1795248000',
        recipient_id: '6281234567890',
        pricing: { billable: true },
      },
      {
        id: 'wamid.Y',
        status: 'failed',
        timestamp: '1795248000',
        errors: [{ code: 131026, title: 'x', error_data: { details: 'y' } }],
      },
    ],
  }),
  callback({
    messaging_product: 'whatsapp',
    metadata,
    contacts: [{ profile: { name: 'Ani' }, wa_id: '6281234567890' }],
    messages: [{ from: '6281234567890', id: 'wamid.Z', timestamp: '1795248000', type: 'text', text: { body: 'STOP' } }],
  }),
  {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: WABA_ID,
        changes: [
          {
            field: 'message_template_status_update',
            value: {
              event: 'REJECTED',
              message_template_id: 1,
              message_template_name: 'invoice',
              message_template_language: 'id',
              reason: 'NONE',
            },
          },
          {
            field: 'account_update',
            value: { event: 'ACCOUNT_RESTRICTION', restriction_info: [{ restriction_type: 'x' }] },
          },
        ],
      },
    ],
  },
]

const STANZA_TOKENS = [
  '@s.whatsapp.net',
  '@lid',
  '@g.us',
  ':99',
  '6285555555501',
  '\x00',
  '\xf8',
  '\xfc',
  'status@broadcast',
]
const CUSTOMER = '6285555555501@s.whatsapp.net'
const node = (
  tag: string,
  attrs: Record<string, string>,
  content: NonNullable<BinaryNode['content']> = [],
): BinaryNode => ({ tag, attrs, content })
const STANZAS: readonly BinaryNode[] = [
  node('receipt', { id: '3EB0AA', from: CUSTOMER, t: '1795248000', type: 'read' }, [
    node('list', {}, [node('item', { id: '3EB0AB' })]),
  ]),
  node('ack', { id: '3EB0AA', class: 'message', from: CUSTOMER, t: '1795248000' }),
  node('message', { id: '3EB0AC', from: CUSTOMER, type: 'text', t: '1795248000', notify: 'Ani' }, [
    node('enc', { v: '2', type: 'pkmsg' }, Buffer.alloc(120, 7)),
  ]),
  node('notification', { id: '1', from: CUSTOMER, type: 'devices', t: '1795248000' }, [
    node('update', { hash: 'abcd' }, [node('device', { jid: CUSTOMER, 'key-index': '1' })]),
  ]),
  node('notification', { id: '2', from: 's.whatsapp.net', type: 'encrypt' }, [node('count', { value: '3' })]),
  node('notification', { id: '3', from: CUSTOMER, type: 'privacy_token' }, [
    node('tokens', {}, [
      node('token', { jid: CUSTOMER, t: '1795248000', type: 'trusted_contact' }, Buffer.alloc(20, 1)),
    ]),
  ]),
  node('notification', { id: '4', from: 's.whatsapp.net', type: 'mex' }, [
    node('update', { op_name: 'x' }, Buffer.from('{"data":{}}')),
  ]),
  node('iq', { id: '5', from: 's.whatsapp.net', type: 'get', xmlns: 'urn:xmpp:ping' }),
  node('ib', { from: 's.whatsapp.net' }, [
    node('offline', { count: '1' }),
    node('dirty', { type: 'groups', timestamp: '1' }),
  ]),
  node('presence', { from: CUSTOMER, type: 'unavailable', last: '1' }),
  node('chatstate', { from: CUSTOMER }, [node('composing', {})]),
  node('call', { from: CUSTOMER, id: '6', t: '1795248000' }, [
    node('offer', { 'call-id': 'x', 'call-creator': CUSTOMER }),
  ]),
]

/** Still a stanza that can be read, which bytes changed anywhere seldom are. */
function changedNode({ tag, attrs, content }: BinaryNode, random: Random): BinaryNode {
  const textOf = (text: string) =>
    random() < 0.2 ? mutate(Buffer.from(text), random, STANZA_TOKENS).toString('latin1') : text
  const left = Object.entries(attrs).filter(() => random() > 0.05)
  const children = Array.isArray(content)
    ? content.flatMap((child) => Array(pick(random, [1, 1, 1, 1, 0, 2])).fill(changedNode(child, random)))
    : undefined
  const bytes = content instanceof Uint8Array ? mutate(Buffer.from(content), random, STANZA_TOKENS) : undefined
  return {
    tag: random() < 0.05 ? pick(random, STANZAS).tag : tag,
    attrs: Object.fromEntries(left.map(([name, value]) => [name, textOf(value)])),
    content: children ?? bytes ?? [],
  }
}

const { ProtocolMessage } = proto.Message
const context = { expiration: 604_800, ephemeralSettingTimestamp: 1_795_248_000, stanzaId: '3EB0AA', quotedMessage: {} }
/** Content of messages: of customers, and what only the owner's phone may send. */
const CONTENTS: readonly proto.IMessage[] = [
  { conversation: 'STOP' },
  {
    extendedTextMessage: {
      text: 'Halo 🙏',
      contextInfo: { ...context, mentionedJid: ['6281234567890@s.whatsapp.net'] },
    },
  },
  {
    imageMessage: {
      caption: 'bukti',
      mimetype: 'image/jpeg',
      url: 'https://127.0.0.1:9/x',
      fileLength: 100,
      contextInfo: context,
    },
  },
  { documentMessage: { fileName: '../a.pdf', mimetype: 'application/pdf', directPath: '/v/x' } },
  { reactionMessage: { key: { id: '3EB0AA', fromMe: true }, text: '👍' } },
  { ephemeralMessage: { message: { viewOnceMessage: { message: { conversation: 'sekali' } } } } },
  { buttonsResponseMessage: { selectedButtonId: 'a', selectedDisplayText: 'Ya' } },
  { protocolMessage: { type: ProtocolMessage.Type.EPHEMERAL_SETTING, ephemeralExpiration: 86_400 } },
  { protocolMessage: { type: ProtocolMessage.Type.REVOKE, key: { id: '3EB0AA', remoteJid: CUSTOMER } } },
  {
    protocolMessage: {
      historySyncNotification: { directPath: '/v/x', mediaKey: Buffer.alloc(32), fileEncSha256: Buffer.alloc(32) },
    },
  },
  { protocolMessage: { lidMigrationMappingSyncMessage: { encodedMappingPayload: Buffer.alloc(20) } } },
  { protocolMessage: { appStateSyncKeyShare: { keys: [{ keyId: { keyId: Buffer.alloc(6) } }] } } },
  { deviceSentMessage: { destinationJid: CUSTOMER, message: { conversation: 'x' } } },
  { senderKeyDistributionMessage: { groupId: '1@g.us', axolotlSenderKeyDistributionMessage: Buffer.alloc(40, 3) } },
  { pollUpdateMessage: { vote: { encPayload: Buffer.alloc(20), encIv: Buffer.alloc(12) } } },
]
const CONTENT_TOKENS = [
  '\x0a\x00',
  '\x0a\xff\xff\xff\xff\x0f',
  '\x80\x80\x80\x80\x80',
  '\x12\x02',
  '\x6a',
  S_WHATSAPP_NET,
]

/** Padded as a client does it: so many bytes, each with their number. */
const padded = (bytes: Buffer, random: Random): Buffer => {
  const length = 1 + below(random, 16)
  return Buffer.concat([bytes, Buffer.alloc(length, length)])
}

const TEMPLATES = [
  textTemplate('invoice', 'id', 'Pesanan {{1}}, {{2}}'),
  textTemplate('invoice', 'en', 'Halo', { category: 'MARKETING', quality_score: { score: 'RED' } }),
  { ...textTemplate('menu'), components: [{ type: 'BODY', text: 'Menu' }, carousel, offer] },
  {
    ...textTemplate('bayar'),
    components: [
      { type: 'BODY', text: '{{1}}' },
      { type: 'BUTTONS', buttons: [urlButton, couponButton] },
    ],
  },
]
const GRAPH_TOKENS = [
  '"data":[',
  '"error":{"code":',
  '"paging":{"next":"x","cursors":{"after":"',
  '"messages":[{"id":"',
  '130429',
  '190',
]

export function mouthsOf({ device, official, owner, backup, passphrase }: Keys): Mouth[] {
  const bearer = { Authorization: `Bearer ${device}` }
  const bearerOf = (path: string): Headers => (path.startsWith('/compat/') ? { Authorization: device } : bearer)
  const signature = (body: Buffer) => `sha256=${createHmac('sha256', APP_SECRET).update(body).digest('hex')}`
  const callbackOf = (random: Random) =>
    mutate(Buffer.from(JSON.stringify(pick(random, CALLBACKS))), random, CALLBACK_TOKENS)
  const toMeta = (random: Random, body: Buffer, signed: string) =>
    request(random, 'POST /waba/webhook', { 'Content-Type': 'application/json', 'X-Hub-Signature-256': signed }, body)
  const heads = [
    ...[
      'GET /health',
      'GET /messages?limit=10&q=halo&from=2026-01-01',
      'GET /senders',
      'GET /suppressions?phone=6281234567890',
      'DELETE /messages/0',
    ],
    ...[
      'GET /api/events',
      'GET /metrics',
      'GET /docs',
      'GET /openapi.json',
      'POST /api/sessions',
      'OPTIONS /send',
      'GET /compat/fonnte/send',
      'GET /..%2f',
    ],
  ]
  return [
    {
      name: 'multipart form',
      weight: 25,
      to: 'callers',
      input: (random) => {
        const path = pick(random, ['/send', '/files', '/compat/fonnte/send'])
        const type =
          random() < 0.9
            ? 'multipart/form-data; boundary=b'
            : mutate(Buffer.from('multipart/form-data; boundary=b'), random, FORM_TOKENS).toString('latin1')
        const headers = { ...bearerOf(path), 'Content-Type': type.replace(/[\r\n]/g, '') }
        return request(random, `POST ${path}`, headers, mutate(multipart(random), random, FORM_TOKENS))
      },
    },
    {
      name: 'urlencoded form',
      weight: 10,
      to: 'callers',
      input: (random) => {
        const path = pick(random, ['/send', '/compat/fonnte/send', '/compat/fonnte/validate'])
        const body = Buffer.from(new URLSearchParams({ ...fields, target: '081234567890,0812' }).toString())
        const headers = { ...bearerOf(path), 'Content-Type': 'application/x-www-form-urlencoded' }
        return request(
          random,
          `POST ${path}`,
          headers,
          mutate(body, random, ['&target=', '=&', '%C3%28', '+', 'phone=']),
        )
      },
    },
    doorMouth(device),
    {
      name: 'JSON',
      weight: 20,
      to: 'callers',
      input: (random) => {
        const [path, body] = pick(random, JSON_BODIES)
        const headers = { ...bearerOf(path), 'Content-Type': 'application/json' }
        return request(random, `POST ${path}`, headers, mutate(Buffer.from(JSON.stringify(body)), random, JSON_TOKENS))
      },
    },
    {
      name: 'upload',
      weight: 5,
      to: 'callers',
      input: (random) => {
        const file = mutate(pick(random, Object.values(samples)), random, [
          '%PDF-1.4',
          '\x89PNG',
          'PK\x03\x04',
          '/ObjStm',
          'RIFF',
        ])
        return request(
          random,
          'POST /files',
          { ...bearer, 'Content-Type': 'application/octet-stream', 'X-Filename': 'a%20b.pdf' },
          file,
        )
      },
    },
    {
      name: 'request head',
      weight: 15,
      to: 'callers',
      input: (random) => mutate(request(random, pick(random, heads), bearer, Buffer.from('{}')), random, HTTP_TOKENS),
    },
    {
      name: 'callback, signed',
      weight: 10,
      to: 'meta',
      input: (random) => {
        const body = callbackOf(random)
        return toMeta(random, body, signature(body))
      },
    },
    {
      name: 'callback, not signed',
      weight: 3,
      to: 'meta',
      input: (random) =>
        toMeta(random, callbackOf(random), pick(random, ['', 'sha256=00', `sha256=${'0'.repeat(64)}`])),
    },
    {
      name: "head to Meta's door",
      weight: 2,
      to: 'meta',
      input: (random) => {
        const line = `GET /waba/webhook?hub.mode=subscribe&hub.verify_token=${VERIFY_TOKEN}&hub.challenge=1`
        return mutate(request(random, line, {}, Buffer.alloc(0)), random, HTTP_TOKENS)
      },
    },
    {
      name: 'stanza of WhatsApp',
      weight: 8,
      to: 'whatsapp',
      input: (random) => {
        const sample = pick(random, STANZAS)
        if (random() < 0.97) return Buffer.from(encodeBinaryNode(changedNode(sample, random)))
        const bytes = Buffer.from(encodeBinaryNode(sample))
        // The first byte says whether the rest is compressed.
        return Buffer.concat([bytes.subarray(0, 1), mutate(bytes.subarray(1), random, STANZA_TOKENS)])
      },
    },
    {
      name: 'content of a message',
      weight: 8,
      to: 'customer',
      input: (random) => {
        const bytes = mutate(Buffer.from(proto.Message.encode(pick(random, CONTENTS)).finish()), random, CONTENT_TOKENS)
        return random() < 0.9 ? padded(bytes, random) : bytes
      },
    },
    ...graphMouths(official, owner),
    {
      name: 'table of opt-outs',
      weight: 3,
      to: 'callers',
      input: (random) => {
        const table = Buffer.from(
          'phone;scope;sender_code\r\n6281234567890;all;\r\n"0812-3456-7891";promotional;""\r\n',
        )
        const headers = { Authorization: `Bearer ${owner}`, 'Content-Type': 'text/csv' }
        return request(random, 'POST /api/suppressions/import', headers, mutate(table, random, CSV_TOKENS))
      },
    },
    {
      name: 'table of messages',
      weight: 2,
      to: 'callers',
      input: (random) => {
        const headers = { Authorization: `Bearer ${owner}`, 'Content-Type': 'application/octet-stream' }
        return request(random, 'POST /api/tables', headers, tableFile(random))
      },
    },
    { name: 'print', weight: 0.5, to: 'printer', input: print },
    {
      name: 'backup',
      weight: 0.3,
      to: 'callers',
      input: (random) => {
        const headers = {
          Authorization: `Bearer ${owner}`,
          'Content-Type': 'application/octet-stream',
          'X-Passphrase': passphrase,
        }
        return request(random, 'POST /api/restore', headers, mutate(backup, random, ['\0\0\0\0']))
      },
    },
  ]
}

/** Answers of the Graph API to the calls that a send, a reading of templates and a check make. */
function graphMouths(official: Keys['official'], owner: string): Mouth[] {
  const once = () => 0.5
  const path = `/api/senders/${official.code}`
  const asOwner = { Authorization: `Bearer ${owner}`, 'Content-Type': 'application/json' }
  const asCaller = { ...asOwner, Authorization: `Bearer ${official.key}` }
  const message = { phone: '6281234567890', template_name: 'invoice', language: 'id', parameters: ['a', 'b'] }
  const send = request(once, 'POST /waba/send-template', asCaller, Buffer.from(JSON.stringify(message)))
  const sync = request(once, `POST ${path}/templates/sync`, asOwner, Buffer.from('{}'))
  const check = request(once, `POST ${path}/check`, asOwner, Buffer.from('{}'))
  const error = { error: { code: 131026, message: 'x', error_data: { details: 'y' }, fbtrace_id: 'z' } }
  const answers: [route: RouteName, ask: Buffer, bodies: object[]][] = [
    ['messages', send, [acceptedBody('wamid.X', '6281234567890', '6281234567890', 'accepted'), error]],
    ['templates', sync, [{ data: TEMPLATES, paging: { cursors: { before: 'MA', after: 'NA' } } }, error]],
    ['number', check, [numberBody(NUMBER_ID), error]],
    [
      'debug_token',
      check,
      [{ data: { is_valid: true, expires_at: 0, scopes: ['whatsapp_business_messaging'] } }, error],
    ],
  ]
  return answers.map(([route, ask, bodies]) => ({
    name: `answer of Graph (${route})`,
    weight: 1.5,
    to: 'graph',
    asks: { route, request: ask },
    input: (random) => mutate(Buffer.from(JSON.stringify(pick(random, bodies))), random, GRAPH_TOKENS),
  }))
}
