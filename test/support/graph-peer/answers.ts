import { type NodeType, type Selection, select } from './fields.ts'

/** Bodies of Meta's answers, as its documentation and its OpenAPI description show them. */

export interface TemplateRow {
  id: string
  name: string
  language: string
  status: string
  category: string
  parameter_format?: string
  components: readonly unknown[]
  [field: string]: unknown
}

/** @param waId null for a message to Meta's id of a person */
export function acceptedBody(wamid: string, to: string, waId: string | null, messageStatus: string | null): object {
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input: to, ...(waId === null ? { user_id: to } : { wa_id: waId }) }],
    messages: [{ id: wamid, ...(messageStatus === null ? {} : { message_status: messageStatus }) }],
  }
}

/** Returns one page of a list. The cursor encodes the position of the next row. */
export function pageBody(
  type: NodeType,
  rows: readonly object[],
  selection: Selection | null,
  query: URLSearchParams,
): object {
  const limit = Number(query.get('limit') ?? 25)
  const start = Number(Buffer.from(query.get('after') ?? '', 'base64').toString() || 0)
  const end = start + limit
  const data = rows.slice(start, end).map((row) => select(type, row, selection))
  if (data.length === 0) return { data }
  const cursors = { before: cursor(start), after: cursor(Math.min(end, rows.length)) }
  // Meta's `next` contains the access token, so a client should neither follow nor log it.
  const next =
    end < rows.length ? { next: `https://graph.facebook.com/next?access_token=EAAnext&after=${cursor(end)}` } : {}
  return { data, paging: { cursors, ...next } }
}

function cursor(position: number): string {
  return Buffer.from(String(position)).toString('base64')
}

export function numberBody(id: string): Record<string, unknown> {
  return {
    display_phone_number: '+62 21 5550 1234',
    verified_name: 'Toko Maju',
    quality_rating: 'GREEN',
    status: 'CONNECTED',
    name_status: 'APPROVED',
    platform_type: 'CLOUD_API',
    code_verification_status: 'VERIFIED',
    account_mode: 'LIVE',
    throughput: { level: 'STANDARD' },
    whatsapp_business_manager_messaging_limit: 'TIER_2K',
    health_status: {
      can_send_message: 'AVAILABLE',
      entities: [{ entity_type: 'PHONE_NUMBER', id, can_send_message: 'AVAILABLE' }],
    },
    id,
  }
}

export function tokenBody(): Record<string, unknown> {
  return {
    app_id: '670000000000001',
    type: 'SYSTEM_USER',
    application: 'Toko Maju',
    is_valid: true,
    expires_at: 0,
    scopes: ['whatsapp_business_management', 'whatsapp_business_messaging'],
    user_id: '100000000000001',
  }
}
