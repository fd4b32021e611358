import type { IncomingMessage } from 'node:http'
import { codeParams } from '../../contract/fields.ts'
import { sendAnswer } from '../../contract/send.ts'
import {
  syncedAnswer,
  type TemplateView,
  templateAnswer,
  templateQuery,
  templateRequest,
  templatesAnswer,
} from '../../contract/templates.ts'
import { checkOwnSender, pickSender, senderByCode } from '../../senders/pick.ts'
import type { SenderContext } from '../../senders/service.ts'
import { unknownOutcome } from '../../words/errors.ts'
import { type Idempotency, runOnce } from '../idempotency.ts'
import { keyOf } from '../keys.ts'
import { defineRoute, list, ok, Reply, type Route } from '../route.ts'
import { asSent } from './send.ts'

/** Answers a repeated call whose first call ended with the process: Meta's answer is unknown. */
const unfinished = (messageId: string): Reply =>
  new Reply(504, unknownOutcome(messageId).toAnswer(), { 'idempotent-replayed': 'true' })

/** `Prefer: respond-async` (RFC 7240): the caller does not wait for Meta. */
const prefersAsync = ({ headers }: IncomingMessage): boolean =>
  [headers.prefer ?? []].flat().some((value) => /(^|,)\s*respond-async\s*($|[,;])/i.test(value))

/** Returns a cursor in the order of the list. A page begins behind it, whatever came or went. */
const placeOf = ({ name, language }: TemplateView): string => `${name} ${language}`

export const templateRoutes = ({ messaging, templates }: SenderContext, idempotency: Idempotency): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/waba/send-template',
    auth: 'key_or_owner',
    tag: 'Sending',
    summary: 'Send an approved template from an official number',
    description:
      'Responds after Meta has responded. With `Prefer: respond-async` it responds as soon as the message is stored, and your webhook endpoints receive its status. After a 504 nobody knows whether Meta has accepted the message: do not send it again.',
    errors: [404, 409, 422, 502, 504],
    otherAnswers: [
      {
        status: 202,
        description: 'The message is stored on disk and queued (with `Prefer: respond-async`).',
        schema: sendAnswer,
      },
    ],
    body: templateRequest,
    waitsOutside: true,
    once: true,
    admit: (caller) => checkOwnSender(messaging.store.senders, keyOf(caller), 'official'),
    answer: templateAnswer,
    handler: (call) =>
      runOnce(
        idempotency,
        call,
        '/waba/send-template',
        async (slot) => {
          const { body } = call
          const key = keyOf(call.caller)
          const send = {
            sender: pickSender(messaging.store.senders, key, body.sender_code, 'official'),
            key,
            request: body,
            asSent: asSent(call),
            // Null until Meta's answer is known.
            idempotency: slot && { ...slot, answer: null },
          }
          if (!prefersAsync(call.req)) return templates.send(send)
          return new Reply(202, await templates.queue(send), { 'preference-applied': 'respond-async' })
        },
        unfinished,
      ),
  }),
  defineRoute({
    method: 'GET',
    path: '/waba/templates',
    auth: 'key_or_owner',
    tag: 'Sending',
    summary: 'List the templates of an official number',
    description:
      'The list is a copy that was last read from Meta at `synced_at`. Only templates with the status `APPROVED` can be sent.',
    errors: [404, 422],
    query: templateQuery,
    answer: templatesAnswer,
    handler: async ({ query, caller }) => {
      const sender = pickSender(messaging.store.senders, keyOf(caller), query.sender_code, 'official')
      const rows = await templates.list(sender.id)
      const rest = rows.filter((row) => placeOf(row) > (query.cursor ?? ''))
      const shown = rest.slice(0, query.limit)
      const last = shown.at(-1)
      return list(shown, last === undefined || rest.length === shown.length ? null : placeOf(last))
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/senders/{code}/templates/sync',
    auth: 'owner',
    tag: 'Senders',
    summary: 'Read the templates of an official number from Meta',
    description: 'Kurir also does this by itself every 6 hours and when Meta reports a change.',
    params: codeParams,
    answer: syncedAnswer,
    handler: async ({ params: { code } }) => {
      const { templates: read, unreadable } = await templates.sync(senderByCode(messaging.store.senders, code))
      const approved = read.filter(({ status }) => status === 'APPROVED').length
      const more = unreadable === 0 ? '' : ` ${unreadable} more could not be read.`
      return ok(`${read.length} templates read.${more}`, { templates: read.length, approved })
    },
  }),
]
