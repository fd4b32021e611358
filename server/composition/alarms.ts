import { createAlarms } from '../health/alarm.ts'
import { createAlarmChannels } from '../health/alarm-channels.ts'
import type { createOverview } from '../health/overview.ts'
import { createGuardedDispatcher, MOST_ANSWER_BYTES } from '../lib/net-guard.ts'
import { HOUR } from '../lib/time.ts'
import { acceptMessage, prepareMessage } from '../messages/accept.ts'
import { NOTHING_AS_SENT } from '../messages/new-message.ts'
import { type Core, policyOf } from './core.ts'
import type { Sending } from './sending.ts'

/** Alarms outside of the window. */
export function createAlarmSide(core: Core, sending: Sending, readOverview: ReturnType<typeof createOverview>) {
  const { deployment, store, settings, dataKey, network, resolve, ports, clock, logger, disposer } = core
  const policy = policyOf(ports)
  const dispatcher = createGuardedDispatcher({ ...network, policy: () => policy, mostBytes: MOST_ANSWER_BYTES })
  const channels = createAlarmChannels({
    policy,
    resolve,
    dispatcher,
    sendWhatsApp: async (code, phone, text) => {
      const sender = store.senders.byCode(code)
      if (sender === undefined || sender.kind === 'official') throw new Error(`${code} cannot send such a message`)
      if (sender.state !== 'connected' || sender.paused) throw new Error(`${sender.settings.name} is not connected`)
      const message = prepareMessage(
        sending.accepting,
        { sender, key: null },
        { phone, message: text, delay: 0 },
        NOTHING_AS_SENT,
        null,
      )
      // An alarm of yesterday helps nobody.
      return acceptMessage(
        sending.accepting,
        { ...message, expiresAt: message.dueAt + HOUR, endNamed: 'length' },
        { key: null },
      )
    },
    clock,
  })
  const alarms = createAlarms({
    channels,
    hasFailed: async (seq) => (await store.messages.find({ seq }))?.status === 'failed',
    readOverview,
    language: () => settings.get().language,
    knownSender: (code) => store.senders.byCode(code) !== undefined,
    isReporter: deployment.isReporter,
    isSetElsewhere: deployment.sharesSenders,
    vault: dataKey.vault,
    meta: store.meta,
    clock,
    logger,
  })
  disposer.defer('alarms', async () => {
    await alarms.stop()
    await dispatcher.destroy()
  })
  return alarms
}
