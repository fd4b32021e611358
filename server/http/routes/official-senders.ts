import { codeParams } from '../../contract/fields.ts'
import { registerRequest } from '../../contract/official-senders.ts'
import { secondRoadTryAnswer, secondRoadTryRequest } from '../../contract/second-road.ts'
import { senderAnswer } from '../../contract/senders.ts'
import { findSender, type SenderContext, viewSender } from '../../senders/service.ts'
import { defineRoute, ok, type Route } from '../route.ts'

const owner = { method: 'POST', auth: 'owner', tag: 'Senders', params: codeParams, answer: senderAnswer } as const

/** Acts of the owner at Meta through Kurir. */
export const officialRoutes = (context: SenderContext): Route[] => [
  defineRoute({
    ...owner,
    path: '/api/senders/{code}/register',
    summary: 'Register an official number with the Cloud API',
    description: 'The PIN is that of two-step verification; without one, it becomes that PIN. It is not kept.',
    body: registerRequest,
    handler: async ({ params: { code }, body: { pin } }) => {
      await context.templates.register(findSender(context, code), pin)
      return ok('Number registered.', await viewSender(context, findSender(context, code)))
    },
  }),
  defineRoute({
    ...owner,
    path: '/api/senders/{code}/callback-setup',
    summary: 'Enter the public address of this PC at Meta',
    description:
      "Uses the public address in the settings and the sender's verify token. Meta asks the address at once.",
    handler: async ({ params: { code } }) => {
      await context.templates.setUpCallbacks(findSender(context, code))
      return ok('Meta calls this PC now.', await viewSender(context, findSender(context, code)))
    },
  }),
]

export const secondRoadRoutes = (context: SenderContext): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/senders/{code}/second-road/try',
    auth: 'owner',
    tag: 'Senders',
    summary: 'Try a second road on the last texts of a linked sender',
    description: 'Nothing is sent or saved.',
    params: codeParams,
    body: secondRoadTryRequest,
    answer: secondRoadTryAnswer,
    handler: async ({ params: { code }, body }) => {
      const messages = await context.templates.tryRoad(findSender(context, code), body)
      const fitting = messages.filter(({ rule, problems }) => rule !== null && problems.length === 0).length
      return ok(`${fitting} of ${messages.length} texts could take the second road.`, { messages, fitting })
    },
  }),
]
