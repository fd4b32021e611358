import { defineRoute, ok, type Route } from '../http/route.ts'
import type { Alarms } from './alarms.ts'
import { alarmsAnswer, testAlarmAnswer, testAlarmRequest, updateAlarmsRequest } from './contract.ts'

const owner = { auth: 'owner', tag: 'Settings' } as const

export const alarmRoutes = (alarms: Alarms): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/alarms',
    summary: 'Read where alarms go',
    description: 'Each channel without its secrets, with the newest attempt to send an alarm.',
    answer: alarmsAnswer,
    handler: () => ok('Alarms.', alarms.view()),
  }),
  defineRoute({
    ...owner,
    method: 'PATCH',
    path: '/api/alarms',
    summary: 'Change where alarms go',
    description: 'A secret that is not given again stays while its server stays the same.',
    body: updateAlarmsRequest,
    answer: alarmsAnswer,
    handler: async ({ body }) => ok('Alarms saved.', await alarms.update(body)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/alarms/test',
    summary: 'Send a test alarm now',
    description: "Answers with the words of the channel's server.",
    body: testAlarmRequest,
    answer: testAlarmAnswer,
    handler: async ({ body: { kind } }) => {
      const error = await alarms.test(kind)
      return ok(error === null ? 'Sent.' : 'Not sent.', { error })
    },
  }),
]
