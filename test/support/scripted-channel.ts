import type { MediaFile } from '../../server/media/fetch.ts'
import type { Channel, Checked, Outcome } from '../../server/messages/channel.ts'
import type { Message } from '../../server/store/index.ts'

export interface Sent {
  at: number
  body: string | null
  recipient: string
  whatsappId: string
  media: MediaFile | null
}

export const ACKNOWLEDGED: Outcome = { kind: 'acknowledged' }
export const UNKNOWN: Outcome = { kind: 'unknown', reason: 'no acknowledgement within 20 s' }
export const OFFLINE: Outcome = { kind: 'offline' }
/** WhatsApp allows no messages to new people and does not say until when. */
export const RESTRICTED: Outcome = { kind: 'held', until: null, reason: '463' }

/** Creates a lane's channel that does what the test says. */
export function createScriptedChannel(now: () => number) {
  const sent: Sent[] = []
  const known = new Set<string>()
  const held: { message: Message; resolve: (outcome: Outcome) => void }[] = []
  const script = {
    ready: true,
    isFirstContact: (message: Message): boolean => !known.has(message.recipient),
    check: (_message: Message): Checked | Promise<Checked> => 'go',
    /** Returns the outcome of a message; `hold` keeps it in flight until `land`. */
    outcome: (_message: Message): Outcome | 'hold' => ACKNOWLEDGED,
  }

  function fly(message: Message): Promise<Outcome> {
    const outcome = script.outcome(message)
    if (outcome !== 'hold') return Promise.resolve(outcome)
    return new Promise((resolve) => held.push({ message, resolve }))
  }

  const channel: Channel = {
    ready: () => script.ready,
    isFirstContact: async (message) => script.isFirstContact(message),
    check: async (message) => script.check(message),
    async send(message, media) {
      const { body, recipient } = message
      const whatsappId = message.providerMessageId ?? ''
      sent.push({ at: now(), body, recipient, whatsappId, media })
      return {
        outcome: fly(message).then((outcome) => {
          if (outcome.kind === 'acknowledged') known.add(recipient)
          return outcome
        }),
      }
    },
  }

  return {
    channel,
    script,
    sent,
    bodies: () => sent.map(({ body }) => body),
    known,
    inFlight: () => held.length,
    /** Ends the flight of the oldest held message, or of all held messages. */
    land(outcome: Outcome, all = false): void {
      for (const { resolve } of held.splice(0, all ? held.length : 1)) resolve(outcome)
    },
  }
}
export type ScriptedChannel = ReturnType<typeof createScriptedChannel>
