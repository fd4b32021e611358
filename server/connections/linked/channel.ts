import { proto, type WASocket } from 'baileys'
import type { Clock } from '../../lib/clock.ts'
import type { MediaFile } from '../../media/fetch.ts'
import { type Channel, type Flight, isOutgoing, type Outcome, type Outgoing } from '../../messages/channel.ts'
import { newWhatsAppId } from '../../messages/whatsapp-id.ts'
import type { Message, MessageStore } from '../../store/index.ts'
import { mediaContent, type Part, partsOf } from './content.ts'
import type { DeviceCache } from './device-cache.ts'
import type { Flights } from './flights.ts'
import { findDevices, isDisconnect, type Lookup } from './lookup.ts'

/** What WhatsApp was given of each message. */
export interface ContentStore extends Pick<MessageStore, 'content'> {
  /** Resolves when it is on disk. */
  keep(seq: number, content: Uint8Array): Promise<unknown>
}

export interface LinkedChannelDeps {
  /** The open connection, if there is one. */
  live(): WASocket | undefined
  /** Makes a new connection: this one does not answer. */
  renew(): void
  lookup: Lookup
  devices: DeviceCache
  flights: Flights
  contents: ContentStore
  clock: Clock
  /** How long the questions before a message may take together, in milliseconds. */
  queryTimeout: number
}

/** A message that needs two stanzas has arrived when both have. */
const together = (outcomes: Outcome[]): Outcome =>
  outcomes.find(({ kind }) => kind !== 'acknowledged') ?? { kind: 'acknowledged' }

const alreadyLanded = (outcome: Outcome): Flight => ({ outcome: Promise.resolve(outcome) })

/** Sends the messages of one lane through its linked number. */
export function createLinkedChannel(deps: LinkedChannelDeps): Channel {
  const { live, lookup, flights, contents } = deps

  function within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = deps.clock.after(deps.queryTimeout, () => reject(new Error('WhatsApp did not answer in time')))
      work.then(resolve, reject).finally(cancel)
    })
  }

  async function upload(sock: WASocket, message: Outgoing, media: MediaFile): Promise<Uint8Array> {
    try {
      await within(sock.refreshMediaConn())
    } catch (error) {
      // Baileys caches the failed media connection; only a new socket clears it.
      deps.renew()
      throw error
    }
    const content = await mediaContent(sock, media, message.body)
    await contents.keep(message.seq, content)
    return content
  }

  async function compose(sock: WASocket, message: Outgoing, media: MediaFile | null): Promise<Part[]> {
    const kept = message.file === null ? undefined : await contents.content(message.seq)
    const stored = kept ?? (media === null ? undefined : await upload(sock, message, media))
    const parts = partsOf(message, message.providerMessageId, stored)
    if (parts.length === 0) throw new Error('the file of this message is missing')
    return parts
  }

  /** Resolves when the stanza is written. */
  async function relay(
    sock: WASocket,
    jid: string,
    { id, content }: Part,
    additionalAttributes: Record<string, string> = {},
  ): Promise<Flight> {
    const outcome = flights.begin(id)
    try {
      await sock.relayMessage(jid, content, { messageId: id, additionalAttributes })
    } catch (error) {
      flights.land(id, afterFailedRelay(error))
    }
    return { outcome }
  }

  async function write(sock: WASocket, message: Outgoing, media: MediaFile | null): Promise<Flight> {
    const parts = await compose(sock, message, media)
    const jid = await lookup.addressOf(message.recipient)
    await within(findDevices(sock, deps.devices, jid))
    // An upload may have taken long. What may have left before is not called expired.
    if (message.attempts <= 1 && message.expiresAt <= deps.clock.now()) {
      return alreadyLanded({ kind: 'refused', code: 'expired' })
    }
    const outcomes: Promise<Outcome>[] = []
    for (const part of parts) outcomes.push((await relay(sock, jid, part)).outcome)
    return { outcome: Promise.all(outcomes).then(together) }
  }

  /** WhatsApp deletes by a message of its own, about the first one's id; of an audio, the text before it as well. */
  async function withdraw(sock: WASocket, message: Outgoing): Promise<Outcome> {
    const jid = await lookup.addressOf(message.recipient)
    await within(findDevices(sock, deps.devices, jid))
    const parts = partsOf(message, message.providerMessageId, await contents.content(message.seq))
    const outcomes: Promise<Outcome>[] = []
    for (const { id } of parts) {
      const key = { remoteJid: jid, fromMe: true, id }
      const content = { protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE } }
      outcomes.push((await relay(sock, jid, { id: newWhatsAppId(), content }, { edit: '7' })).outcome)
    }
    return together(await Promise.all(outcomes))
  }

  /** A question without an answer on a line that says nothing else either: the line is dead. */
  function renewIfSilent<T extends Outcome | 'go'>(sock: WASocket, outcome: T): T {
    if (outcome !== 'go' && outcome.kind === 'not_sent' && live() === sock && flights.isSilent()) deps.renew()
    return outcome
  }

  return {
    ready: () => live() !== undefined,
    isFirstContact: async (message: Message) => !(await lookup.isKnown(message.recipient)),
    async check(message) {
      const sock = live()
      return sock === undefined ? { kind: 'offline' } : renewIfSilent(sock, await lookup.check(sock, message.recipient))
    },
    async revoke(message) {
      const sock = live()
      if (sock === undefined) return { kind: 'offline' }
      try {
        return await withdraw(sock, message)
      } catch (error) {
        return live() !== sock || isDisconnect(error)
          ? { kind: 'offline' }
          : { kind: 'not_sent', reason: reasonOf(error) }
      }
    },
    async send(message, media) {
      const sock = live()
      if (sock === undefined) return alreadyLanded({ kind: 'offline' })
      try {
        if (!isOutgoing(message)) throw new Error('the message has no id')
        return await write(sock, message, media)
      } catch (error) {
        // Nothing was written yet.
        if (live() !== sock || isDisconnect(error)) return alreadyLanded({ kind: 'offline' })
        return alreadyLanded(renewIfSilent(sock, { kind: 'not_sent', reason: reasonOf(error) }))
      }
    },
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The library saves its keys after the write: an error that is not known to come before it proves nothing. */
function afterFailedRelay(error: unknown): Outcome {
  if (isDisconnect(error)) return { kind: 'offline' }
  const reason = reasonOf(error)
  return reason === 'All encryptions failed' ? { kind: 'not_sent', reason } : { kind: 'unknown', reason }
}
