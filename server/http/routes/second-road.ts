import { codeParams } from '../../contract/fields.ts'
import { secondRoadTryAnswer, secondRoadTryRequest } from '../../contract/second-road.ts'
import { findSender, type SenderContext } from '../../senders/service.ts'
import { defineRoute, ok, type Route } from '../route.ts'

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
