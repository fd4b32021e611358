import { ApiError } from '../../contract/errors.ts'
import { isUserId, normalisePhone } from '../../contract/phone.ts'
import {
  createSuppressionRequest,
  type SuppressionView,
  suppressionAnswer,
  suppressionCheckAnswer,
  suppressionImportAnswer,
  suppressionName,
  suppressionQuery,
  suppressionRemovedAnswer,
  suppressionsAnswer,
} from '../../contract/suppressions.ts'
import { isoTime } from '../../lib/clock.ts'
import type { MessageContext } from '../../messages/context.ts'
import { addOptOut, removeOptOut } from '../../senders/customers.ts'
import { ownSender, senderByCode } from '../../senders/pick.ts'
import type { SenderRow, Suppression, SuppressionFilter } from '../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import { type KnownCaller, keyOf } from '../keys.ts'
import { beginCsv } from '../response.ts'
import { ANSWERED, defineRoute, list, ok, type Route } from '../route.ts'
import { checkTable, importTable, readTable, writeTable } from '../suppression-table.ts'

const tag = 'Opt-outs'

// Entries of one number that are read at once: more than one for each sender.
const MOST_OF_ONE = 1_000

export function suppressionRoutes(context: MessageContext): Route[] {
  const { store, now } = context
  const { senders, suppressions } = store
  const view = ({ senderId, ...row }: Suppression): SuppressionView => ({
    phone: row.phone,
    scope: row.scope,
    source: row.source,
    sender_code: senderId === null ? null : senders.codeOf(senderId),
    at: isoTime(row.at),
  })

  /** Returns the sender of a call; undefined: all. A device key speaks for its own sender. */
  function senderOf(caller: KnownCaller, code: string | undefined): SenderRow | undefined {
    const named = code === undefined ? undefined : senderByCode(senders, code)
    const key = keyOf(caller)
    if (key?.kind !== 'device') return named
    if (named !== undefined && named.id !== key.senderId) {
      throw new ApiError('sender_not_allowed', 'This key belongs to another sender.')
    }
    return ownSender(senders, key)
  }

  function phoneOf(raw: string, sender: SenderRow | undefined): string {
    if (isUserId(raw.trim())) return raw.trim()
    const result = normalisePhone(raw, sender?.settings.country_code ?? null)
    if (!result.ok) throw invalidRequest([fieldProblem('phone', result.problem)])
    return result.phone
  }

  const sourceOf = (caller: KnownCaller) => (caller.kind === 'owner' ? 'owner' : 'api')

  return [
    defineRoute({
      tag,
      method: 'GET',
      path: '/suppressions',
      auth: 'key_or_owner',
      summary: 'List opt-outs, newest first',
      description:
        'Opt-outs are recipients who do not want messages. A device key lists the opt-outs of its own sender and those that apply to all senders.',
      query: suppressionQuery,
      inTurn: true,
      answer: suppressionsAnswer,
      handler: async ({ query, caller }) => {
        const sender = senderOf(caller, query.sender_code)
        const filter: SuppressionFilter = {
          phone: query.phone === undefined ? undefined : phoneOf(query.phone, sender),
          senderId: sender?.id,
          before: query.cursor === undefined ? undefined : Number(query.cursor),
          limit: query.limit + 1,
        }
        const rows = await suppressions.list(filter)
        const shown = rows.slice(0, query.limit)
        return list(shown.map(view), rows.length > shown.length ? String(shown.at(-1)?.id) : null)
      },
    }),
    defineRoute({
      tag,
      method: 'POST',
      path: '/suppressions',
      auth: 'key_or_owner',
      summary: 'Add an opt-out',
      description:
        'Scope `marketing` blocks marketing messages to the number, `all` blocks every message. Without `sender_code` the opt-out applies to all senders. Queued messages that it blocks become `cancelled`.',
      body: createSuppressionRequest,
      answer: suppressionAnswer,
      handler: async ({ body, caller }) => {
        const sender = senderOf(caller, body.sender_code)
        const suppression: Suppression = {
          phone: phoneOf(body.phone, sender),
          senderId: sender?.id ?? null,
          scope: body.scope,
          source: sourceOf(caller),
          at: now(),
        }
        await addOptOut(context, suppression)
        // An earlier entry that refuses more stays, so answer with the stored entry.
        const { phone, senderId } = suppression
        const entries = await suppressions.list({ phone, senderId: sender?.id, limit: MOST_OF_ONE })
        return ok('Noted.', view(entries.find((entry) => entry.senderId === senderId) ?? suppression))
      },
    }),
    defineRoute({
      tag,
      method: 'DELETE',
      path: '/suppressions',
      auth: 'key_or_owner',
      summary: 'Remove an opt-out',
      description: 'Messages that were cancelled because of the opt-out are not sent.',
      query: suppressionName,
      answer: suppressionRemovedAnswer,
      handler: async ({ query, caller }) => {
        const sender = senderOf(caller, query.sender_code)
        const name = { phone: phoneOf(query.phone, sender), senderId: sender?.id ?? null }
        const removed = await removeOptOut(context, name, { source: sourceOf(caller), at: now() })
        return ok(removed ? 'Removed.' : 'There was none.', { removed: Number(removed) })
      },
    }),
    defineRoute({
      tag,
      method: 'POST',
      path: '/api/suppressions/import/check',
      auth: 'owner',
      summary: 'Check a table of opt-outs before its import',
      description: 'Takes the same file as the import and shows how it would be read. Nothing is imported.',
      errors: [422],
      upload: { type: 'application/octet-stream' },
      answer: suppressionCheckAnswer,
      handler: async ({ req }) => {
        return ok('Checked.', await checkTable(context, await readTable(req)))
      },
    }),
    defineRoute({
      tag,
      method: 'POST',
      path: '/api/suppressions/import',
      auth: 'owner',
      summary: 'Import opt-outs from a table',
      description:
        'The request body is the file itself: CSV or XLSX with a column `phone` and optional columns `scope` and `sender_code`. Invalid rows are reported, the others are imported.',
      errors: [422],
      upload: { type: 'application/octet-stream' },
      answer: suppressionImportAnswer,
      handler: async ({ req }) => {
        return ok('Imported.', await importTable(context, await readTable(req)))
      },
    }),
    defineRoute({
      tag,
      method: 'GET',
      path: '/api/suppressions/export.csv',
      auth: 'owner',
      summary: 'Export all opt-outs as a CSV table',
      description: 'The CSV file is in UTF-8 and can be imported again.',
      answer: 'text/csv',
      handler: async ({ res }) => {
        beginCsv(res, 'suppressions')
        await writeTable(store, view, res)
        return ANSWERED
      },
    }),
  ]
}
