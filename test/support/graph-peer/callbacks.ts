import { createHmac } from 'node:crypto'

/** How to sign a callback; a string is used as the header. */
export type Signing = 'right' | 'wrong' | 'missing' | 'truncated' | 'uppercase' | `sha256=${string}`

export interface StatusOptions {
  wamid: string
  status: string
  /** Milliseconds since 1970; sent in whole seconds, as Meta does. */
  at?: number
  /** Null omits the member, as Meta does for business-scoped user ids. */
  recipient?: string | null
  /** Business-scoped user id. */
  userId?: string
  errors?: readonly object[]
  pricing?: object
  callbackData?: string
}

export interface TemplateEvent {
  event: string
  name: string
  language: string
  id?: number
  reason?: string | null
}

export interface CallbackAnswer {
  status: number
  body: string
}

export interface CallbackOptions {
  /** Full address of the webhook. */
  to: string
  appSecret: string
  phoneNumberId?: string
  wabaId?: string
}

export interface Callbacks {
  status(status: StatusOptions, signing?: Signing): Promise<CallbackAnswer>
  /** Sends all statuses in one body, in the given order. */
  statuses(statuses: readonly StatusOptions[], signing?: Signing): Promise<CallbackAnswer>
  template(event: TemplateEvent, signing?: Signing): Promise<CallbackAnswer>
  /** Sends any change, for example of a field that Kurir does not know. */
  change(field: string, value: unknown, signing?: Signing): Promise<CallbackAnswer>
  /** Sends any bytes, and signs exactly these. */
  raw(body: string | Uint8Array, signing?: Signing): Promise<CallbackAnswer>
  handshake(query: { mode?: string; verifyToken?: string; challenge?: string }): Promise<CallbackAnswer>
}

/**
 * Sends Meta's callbacks for one number of one app. Callers repeat or reorder calls to test repeats
 * and disorder.
 */
export function callbacks(options: CallbackOptions): Callbacks {
  const phoneNumberId = options.phoneNumberId ?? '106540352242922'
  const wabaId = options.wabaId ?? '102290129340398'

  async function raw(body: string | Uint8Array, signing: Signing = 'right'): Promise<CallbackAnswer> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : new Uint8Array(body)
    const signature = signatureHeader(bytes, options.appSecret, signing)
    return answerOf(
      await fetch(options.to, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'facebookexternalua',
          connection: 'close',
          ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
        },
        body: bytes,
      }),
    )
  }

  const change: Callbacks['change'] = (field, value, signing) =>
    raw(metaJson(envelope(wabaId, [{ value, field }])), signing)

  const statuses: Callbacks['statuses'] = (list, signing) =>
    change('messages', statusesValue(phoneNumberId, list), signing)

  return {
    raw,
    change,
    statuses,
    status: (status, signing) => statuses([status], signing),
    template: (event, signing) => change('message_template_status_update', templateValue(event), signing),
    async handshake({ mode = 'subscribe', verifyToken, challenge = '1158201444' }) {
      const query = new URLSearchParams({ 'hub.mode': mode, 'hub.challenge': challenge })
      if (verifyToken !== undefined) query.set('hub.verify_token', verifyToken)
      return answerOf(await fetch(`${options.to}?${query}`))
    },
  }
}

/**
 * Returns JSON as Meta writes it, with slashes and non-ASCII characters escaped. Therefore only the
 * raw bytes can be hashed.
 */
export function metaJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function envelope(wabaId: string, changes: readonly object[]): object {
  return { object: 'whatsapp_business_account', entry: [{ id: wabaId, changes }] }
}

export function statusesValue(phoneNumberId: string, list: readonly StatusOptions[]): object {
  return {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '622155501234', phone_number_id: phoneNumberId },
    statuses: list.map(statusEntry),
  }
}

function statusEntry(options: StatusOptions): object {
  const { wamid, status, at = Date.parse('2026-11-21T08:00:00Z'), recipient = '6281234567890' } = options
  return {
    id: wamid,
    status,
    timestamp: String(Math.floor(at / 1000)),
    ...(recipient === null ? {} : { recipient_id: recipient }),
    ...(options.userId === undefined ? {} : { recipient_user_id: options.userId }),
    ...(options.pricing === undefined ? {} : { pricing: options.pricing }),
    ...(options.errors === undefined ? {} : { errors: options.errors }),
    ...(options.callbackData === undefined ? {} : { biz_opaque_callback_data: options.callbackData }),
  }
}

function templateValue({ event, name, language, id = 594425479261596, reason = 'NONE' }: TemplateEvent): object {
  return {
    event,
    message_template_id: id,
    message_template_name: name,
    message_template_language: language,
    reason,
  }
}

/** Returns an error of a `failed` status. Meta sometimes writes the code as a string. */
export function statusError(code: number | string, title: string, details: string): object {
  return {
    code,
    title,
    message: title,
    error_data: { details },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  }
}

function signatureHeader(bytes: Uint8Array, appSecret: string, signing: Signing): string | null {
  const hex = (secret: string) => createHmac('sha256', secret).update(bytes).digest('hex')
  switch (signing) {
    case 'missing':
      return null
    case 'right':
      return `sha256=${hex(appSecret)}`
    case 'wrong':
      return `sha256=${hex(`${appSecret}, of another app`)}`
    case 'truncated':
      return `sha256=${hex(appSecret).slice(0, 32)}`
    case 'uppercase':
      return `sha256=${hex(appSecret).toUpperCase()}`
    default:
      return signing
  }
}

async function answerOf(response: Response): Promise<CallbackAnswer> {
  return { status: response.status, body: await response.text() }
}
