import { z } from 'zod'
import { unknownOutcome } from '../../connections/official/conclusion.ts'
import type { OfficialChannel } from '../../connections/official/desk.ts'
import { senderAnswer } from '../../contract/senders.ts'
import {
  syncedAnswer,
  type TemplateRequest,
  templateAnswer,
  templateQuery,
  templateRequest,
  templatesAnswer,
} from '../../contract/templates.ts'
import { recipientOf, referencesOf } from '../../messages/accept.ts'
import { pickSender } from '../../senders/pick.ts'
import type { SenderService } from '../../senders/service.ts'
import type { Senders } from '../../store/sqlite/senders.ts'
import type { Once } from '../idempotency.ts'
import { defineRoute, list, ok, Reply, type Route } from '../route.ts'
import { rawMetadata } from './send.ts'

export interface TemplateRouteDeps {
  official: Pick<OfficialChannel, 'send' | 'templates' | 'sync' | 'check'>
  once: Once
  service: Pick<SenderService, 'get' | 'view'>
  senders: Pick<Senders, 'byCode' | 'get' | 'list'>
}

const params = z.object({ code: z.string() })

/** A repeated call whose first one ended with the program: nobody heard Meta's answer. */
const unfinished = (messageId: string): Reply =>
  new Reply(504, unknownOutcome(messageId).toAnswer(), { 'idempotent-replayed': 'true' })

export const templateRoutes = ({ official, once, service, senders }: TemplateRouteDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/waba/send-template',
    auth: 'key_or_owner',
    tag: 'Sending',
    summary: 'Send an approved template from an official number',
    body: templateRequest,
    answer: templateAnswer,
    handler: (call) => {
      const { key } = call.caller
      const body: TemplateRequest = call.body
      return once.run(
        call,
        '/waba/send-template',
        async (remember) => {
          const sender = pickSender(senders, key, body.sender_code, 'official')
          return official.send({
            ...{ sender, key, body },
            recipient: recipientOf(body.phone, sender),
            ...referencesOf(body, rawMetadata(body, call.raw)),
            // Open until Meta's answer is known.
            remembered: remember?.(null),
          })
        },
        unfinished,
      )
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/waba/templates',
    auth: 'key_or_owner',
    tag: 'Sending',
    summary: 'The templates of an official number, as they were last read from Meta',
    query: templateQuery,
    answer: templatesAnswer,
    handler: ({ query, caller }) => {
      const sender = pickSender(senders, caller.key, query.sender_code, 'official')
      const rows = official.templates(sender.id)
      const from = Number(query.cursor ?? 0) || 0
      const to = from + query.limit
      return list(rows.slice(from, to), to < rows.length ? String(to) : null)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/senders/{code}/templates/sync',
    auth: 'owner',
    tag: 'Senders',
    summary: 'Read the templates of an official number from Meta',
    params,
    answer: syncedAnswer,
    handler: async ({ params: { code } }) => {
      const templates = await official.sync(service.get(code))
      const approved = templates.filter(({ status }) => status === 'APPROVED').length
      return ok(`${templates.length} templates read.`, { templates: templates.length, approved })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/senders/{code}/check',
    auth: 'owner',
    tag: 'Senders',
    summary: 'Check everything an official number needs',
    params,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => {
      await official.check(service.get(code))
      const view = service.view(service.get(code))
      const failed = view.official?.checks.filter((each) => !each.ok).length ?? 0
      return ok(failed === 0 ? 'Everything is right.' : `${failed} of the checks need you.`, view)
    },
  }),
]
