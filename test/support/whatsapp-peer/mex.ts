import { randomUUID } from 'node:crypto'
import { type BinaryNode, S_WHATSAPP_NET } from 'baileys'
import type { Account } from './account.ts'
import type { Contact } from './directory.ts'
import { capPayload, lockPayload } from './reach.ts'
import { attribute, child, result, stanza } from './stanza.ts'

interface Stored {
  /** Required variables of the query, as JSON. */
  variables: string
  field: string
  payload: typeof lockPayload
}

const CAP_FIELD = 'xwa2_message_capping_info'

/** Queries that the server stores by id. The set changes with WhatsApp's builds. */
export const STORED_QUERIES: Readonly<Record<string, Stored>> = {
  '23983697327930364': { variables: '{}', field: 'xwa2_fetch_account_reachout_timelock', payload: lockPayload },
  // WhatsApp Web uses the first of these two, Baileys the second.
  '27910975521856601': {
    variables: '{"input":{"type":"INDIVIDUAL_NEW_CHAT_THREAD"}}',
    field: CAP_FIELD,
    payload: capPayload,
  },
  '24503548349331633': {
    variables: '{"input":{"type":"INDIVIDUAL_NEW_CHAT_MSG"}}',
    field: CAP_FIELD,
    payload: capPayload,
  },
}

const json = (query: BinaryNode, value: object) =>
  result(query, [stanza('result', {}, Buffer.from(JSON.stringify(value)))])
const graphError = (code: number, message: string) => ({
  data: null,
  errors: [{ message, extensions: { error_code: code, is_retryable: false, severity: 'CRITICAL' } }],
})

/** Answers `w:mex`, with errors for an unknown or dropped query and for wrong variables. */
export function answerMex(query: BinaryNode, account: Account, dropped: ReadonlySet<string>, now: number): BinaryNode {
  const node = child(query, 'query')
  const id = (node && attribute(node, 'query_id')) ?? ''
  const stored = dropped.has(id) ? undefined : STORED_QUERIES[id]
  if (stored === undefined) return json(query, graphError(400, 'Bad Request: unknown query'))
  if (variablesOf(node) !== stored.variables) return json(query, graphError(400, 'Bad Request: variables'))
  return json(query, { data: { [stored.field]: stored.payload(account.reach, now) } })
}

function variablesOf(node: BinaryNode | undefined): string {
  try {
    const { variables } = JSON.parse(String(node?.content)) as { variables: unknown }
    return JSON.stringify(variables)
  } catch {
    return 'no JSON'
  }
}

const NOTIFICATIONS = {
  lock: {
    op: 'NotificationUserReachoutTimelockUpdate',
    field: 'xwa2_notify_account_reachout_timelock',
    payload: lockPayload,
  },
  cap: {
    op: 'MessageCappingInfoNotification',
    field: 'xwa2_notify_new_chat_messages_capping_info_update',
    payload: capPayload,
  },
} as const

/** Notifies all clients of an account of its current lock or cap. */
export function notifyReach({ account, companions }: Contact, what: 'lock' | 'cap', now: number): void {
  const { op, field, payload } = NOTIFICATIONS[what]
  const content = JSON.stringify({ data: { [field]: payload(account.reach, now) } })
  for (const { outbox } of companions) {
    outbox.post(
      stanza(
        'notification',
        { id: randomUUID(), from: S_WHATSAPP_NET, type: 'mex', t: String(Math.floor(now / 1000)) },
        [stanza('update', { op_name: op }, Buffer.from(content))],
      ),
    )
  }
}
