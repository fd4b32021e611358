/** A Graph node or edge: its fields, and the ones that come by default. */
export interface NodeType {
  name: string
  /** `true`, or the type of the nodes in a list. */
  fields: { [field: string]: true | NodeType }
  defaults: readonly string[]
}

/** Fields of `fields=`, with their own selection for lists of nodes. */
export type Selection = Map<string, Selection | null>

/** A selection that cannot be answered, with Meta's message. */
export class FieldError extends Error {}

const named = (...names: string[]): { [field: string]: true } => Object.fromEntries(names.map((name) => [name, true]))

export const NUMBER: NodeType = {
  name: 'WhatsAppBusinessPhoneNumber',
  fields: named(
    ...['id', 'account_mode', 'certificate', 'code_verification_status', 'conversational_automation'],
    ...['country_dial_code', 'display_phone_number', 'health_status', 'is_official_business_account', 'is_on_biz_app'],
    ...['is_pin_enabled', 'is_preverified_number', 'last_onboarded_time', 'messaging_limit_tier', 'name_status'],
    ...['new_certificate', 'new_display_name', 'new_name_status', 'official_business_account', 'platform_type'],
    ...['quality_rating', 'quality_score', 'search_visibility', 'status', 'throughput', 'username', 'verified_name'],
    ...['webhook_configuration', 'whatsapp_business_manager_messaging_limit'],
  ),
  defaults: ['id', 'display_phone_number', 'verified_name', 'quality_rating'],
}

export const ACCOUNT: NodeType = {
  name: 'WhatsAppBusinessAccount',
  fields: named('id', 'name', 'currency', 'timezone_id', 'status', 'account_review_status', 'health_status', 'country'),
  defaults: ['id', 'name', 'timezone_id'],
}

export const TEMPLATE: NodeType = {
  name: 'WhatsAppBusinessHSM',
  fields: named(
    ...['id', 'name', 'language', 'status', 'category', 'sub_category', 'previous_category', 'correct_category'],
    ...['parameter_format', 'components', 'quality_score', 'rejected_reason', 'message_send_ttl_seconds'],
    ...['library_template_name', 'cta_url_link_tracking_opted_out', 'degrees_of_freedom_spec', 'health_status'],
  ),
  defaults: ['id', 'name', 'language', 'status', 'category', 'parameter_format', 'components', 'previous_category'],
}

const EVENT: NodeType = {
  name: 'WhatsAppMessageDeliveryStatusEvent',
  fields: named(
    ...['id', 'delivery_status', 'webhook_update_state', 'timestamp', 'application', 'webhook_uri'],
    ...['error_description'],
  ),
  defaults: ['id'],
}

export const HISTORY: NodeType = {
  name: 'WhatsAppMessageHistory',
  fields: { ...named('id', 'message_id'), events: EVENT },
  defaults: ['id', 'message_id'],
}

/** Parses `a,b{c,d},e.limit(5)`. */
export function parseFields(text: string): Selection {
  let at = 0

  function list(): Selection {
    const selection: Selection = new Map()
    while (at < text.length && text[at] !== '}') {
      const name = /^[\w]+/.exec(text.slice(at))?.[0]
      if (name === undefined) throw new FieldError(`(#2500) Syntax error "Expected a field name" at character ${at}.`)
      at += name.length
      at += /^(\.\w+\([^)]*\))*/.exec(text.slice(at))?.[0].length ?? 0
      let below: Selection | null = null
      if (text[at] === '{') {
        at += 1
        below = list()
        if (text[at] !== '}') throw new FieldError('(#2500) Syntax error "Expected end of fields".')
        at += 1
      }
      selection.set(name, below)
      if (text[at] === ',') at += 1
    }
    return selection
  }

  return list()
}

/**
 * Returns the selected fields of a node and always its id; fields without a value are omitted.
 * @throws FieldError for a field that the node does not have
 */
export function select(type: NodeType, node: object, selection: Selection | null): object {
  const asked = selection ?? new Map(type.defaults.map((name) => [name, null]))
  const entries: [string, unknown][] = []
  for (const [name, below] of asked) {
    const field = type.fields[name]
    if (field === undefined) {
      throw new FieldError(`(#100) Tried accessing nonexisting field (${name}) on node type (${type.name})`)
    }
    const value = (node as { [field: string]: unknown })[name]
    if (value === undefined || value === null) continue
    entries.push([name, field === true ? value : { data: nodes(value).map((each) => select(field, each, below)) }])
  }
  const { id } = node as { id?: unknown }
  return { ...Object.fromEntries(entries), ...(id === undefined ? {} : { id }) }
}

const nodes = (value: unknown): object[] =>
  Array.isArray(value) ? value.filter((each): each is object => typeof each === 'object' && each !== null) : []

/** Returns a type without a field, as some versions of the Graph API have it. */
export function without(type: NodeType, field: string): NodeType {
  const { [field]: _gone, ...fields } = type.fields
  return { ...type, fields }
}
