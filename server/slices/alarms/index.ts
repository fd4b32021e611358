import { hostname } from 'node:os'
import { defineRoute, ok, type Route } from '../../http/route.ts'
import { HOUR } from '../../lib/clock.ts'
import {
  type AddressPolicy,
  createGuardedDispatcher,
  MOST_ANSWER_BYTES,
  type Network,
  type Resolve,
} from '../../lib/net-guard.ts'
import { acceptMessage, prepareMessage } from '../../messages/accept.ts'
import type { MessageContext } from '../../messages/context.ts'
import { NOTHING_AS_SENT } from '../../messages/new-message.ts'
import { type AlarmContext, type Alarms, createAlarms } from './alarms.ts'
import { type AlarmMessages, createAlarmChannels, NotTaken } from './channels.ts'
import { alarmsAnswer, testAlarmAnswer, testAlarmRequest, updateAlarmsRequest } from './contract.ts'

/** Network access. `policy` is that of callbacks: no metadata addresses, and not Kurir itself. */
interface WaysOut {
  network: Network
  resolve: Resolve
  policy: AddressPolicy
}

export function alarms(context: AlarmContext, messaging: MessageContext, { network, resolve, policy }: WaysOut) {
  const dispatcher = createGuardedDispatcher({ ...network, policy, mostBytes: MOST_ANSWER_BYTES })
  const channels = createAlarmChannels(policy, resolve, dispatcher, messagesOf(messaging), context.clock)
  const running = createAlarms(context, channels, hostname())
  return {
    routes: alarmRoutes(running),
    async stop(): Promise<void> {
      await running.stop()
      await dispatcher.destroy()
    },
  }
}

const SENT = { error: null, error_code: null, status: null, said: null }

const messagesOf = (messaging: MessageContext): AlarmMessages => ({
  isSender: (code) => messaging.store.senders.byCode(code) !== undefined,
  async queue(code, phone, text) {
    const sender = messaging.store.senders.byCode(code)
    if (sender === undefined || sender.kind === 'official') throw new Error(`${code} cannot send such a message`)
    if (sender.state !== 'connected' || sender.paused) {
      const error = `${sender.settings.name} is not connected`
      throw new NotTaken({ ...SENT, error, error_code: 'sender_not_connected' })
    }
    const request = { phone, message: text, delay: 0 }
    const message = await prepareMessage(messaging, { sender, key: null }, request, NOTHING_AS_SENT, null)
    // An alarm that is an hour late helps nobody.
    return acceptMessage(messaging, { ...message, expiresAt: message.dueAt + HOUR, endNamed: 'length' }, { key: null })
  },
  hasFailed: async (seq) => (await messaging.store.messages.find({ seq }))?.status === 'failed',
})

const owner = { auth: 'owner', tag: 'Settings' } as const

const alarmRoutes = (alarms: Alarms): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/alarms',
    summary: 'Get the alarm settings',
    description: 'Shows each alarm channel without its secrets, and the newest attempt to send an alarm.',
    answer: alarmsAnswer,
    handler: () => ok('Alarms.', alarms.view()),
  }),
  defineRoute({
    ...owner,
    method: 'PATCH',
    path: '/api/alarms',
    summary: 'Change the alarm settings',
    description:
      'Channels that are omitted stay; null switches a channel off. A secret that is omitted keeps its value as long as its server stays the same.',
    body: updateAlarmsRequest,
    answer: alarmsAnswer,
    handler: async ({ body }) => ok('Alarms saved.', await alarms.update(body)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/alarms/test',
    summary: 'Send a test alarm',
    description: 'Sends through one channel and returns what its server answered.',
    body: testAlarmRequest,
    answer: testAlarmAnswer,
    handler: async ({ body: { kind } }) => {
      const failure = await alarms.test(kind)
      return ok(failure === null ? 'Sent.' : 'Not sent.', { ...SENT, ...failure })
    },
  }),
]
