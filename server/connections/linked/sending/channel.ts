import type { WASocket } from 'baileys'
import type { Dispatcher } from 'undici'
import { isGroupId } from '../../../contract/phone.ts'
import type { Clock } from '../../../lib/clock.ts'
import { StorageError } from '../../../lib/storage-error.ts'
import type { MediaFile } from '../../../media/fetch.ts'
import {
  alreadyLanded,
  type Channel,
  type Checked,
  isOutgoing,
  type Outcome,
  type Outgoing,
} from '../../../messages/channel.ts'
import type { Message, MessageStore } from '../../../store/index.ts'
import type { Lookup } from '../account/lookup.ts'
import { isDisconnect, reasonOf } from '../library/errors.ts'
import { answered } from '../library/questions.ts'
import { NotUploaded, uploadMedia } from '../media/upload.ts'
import { deletionOf, encodedText, mediaContent, type Part, partsOf } from './content.ts'
import type { Flights } from './flights.ts'
import type { GroupRelay } from './group-relay.ts'
import { outcomeOfError, type Relay } from './relay.ts'

/** Contents of messages, as WhatsApp got them. */
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
  relay: Relay
  groups: GroupRelay
  flights: Flights
  contents: ContentStore
  clock: Clock
  /** Connects to WhatsApp's hosts for files. */
  mediaDispatcher: Dispatcher
  /** Aborted when the sender stops. */
  stopping: AbortSignal
  /** How long the questions before a message may take together, in milliseconds. */
  queryTimeout: number
}

/** Sends the messages of one lane through its linked number. */
export function createLinkedChannel(deps: LinkedChannelDeps): Channel {
  const { live, lookup, relay, groups, flights, contents } = deps
  const roadOf = ({ recipient }: Message): Pick<Relay, 'write'> => (isGroupId(recipient) ? groups : relay)

  const timerOf = async (sock: WASocket, { recipient }: Message): Promise<number | null> =>
    isGroupId(recipient) ? groups.timerOf(sock, recipient) : ((await lookup.contact(recipient))?.timer ?? null)

  async function mediaHosts(sock: WASocket, renewed: boolean) {
    try {
      return await answered(deps, sock.refreshMediaConn(renewed))
    } catch (error) {
      // Baileys caches the failed media connection; only a new socket clears it.
      deps.renew()
      throw error
    }
  }

  async function upload(sock: WASocket, message: Outgoing, media: MediaFile, timer: number | null) {
    const uploaded = await uploadMedia(media, {
      hosts: (renewed) => mediaHosts(sock, renewed),
      dispatcher: deps.mediaDispatcher,
      clock: deps.clock,
      signal: deps.stopping,
    })
    return mediaContent(media, uploaded, { caption: message.body, timer, now: deps.clock.now() })
  }

  /** Composes the content. What cannot be made again from the row is kept before it is sent. */
  async function compose(sock: WASocket, message: Outgoing, media: MediaFile | null): Promise<Part[]> {
    const { providerMessageId: id, seq, file } = message
    const timer = await timerOf(sock, message)
    let stored = file === null && timer === null ? undefined : await contents.content(seq)
    if (stored === undefined && (timer !== null || media !== null)) {
      if (media !== null) stored = await upload(sock, message, media, timer)
      else if (file === null && timer !== null) stored = encodedText(message, id, timer)
      if (stored !== undefined) await contents.keep(seq, stored)
    }
    const parts = partsOf(message, id, stored)
    if (parts.length === 0) throw new Error('the file of this message is missing')
    return parts
  }

  /** Deletes it for everyone; of an audio, the text before it as well. */
  async function withdraw(sock: WASocket, message: Outgoing): Promise<Outcome> {
    const parts = partsOf(message, message.providerMessageId, await contents.content(message.seq))
    const deletions = parts.map(({ id }) => deletionOf(id))
    return (await roadOf(message).write(sock, message, deletions)).outcome
  }

  /** A question without an answer on a line that says nothing else either: the line is dead. */
  function renewIfSilent<T extends Checked>(sock: WASocket, result: T): T {
    const isUnanswered = typeof result === 'object' && result.kind === 'not_sent'
    if (isUnanswered && live() === sock && flights.isSilent()) deps.renew()
    return result
  }

  return {
    ready: () => live() !== undefined,
    isFirstContact: async ({ recipient }: Message) => !isGroupId(recipient) && !(await lookup.isKnown(recipient)),
    async check(message) {
      const sock = live()
      if (sock === undefined) return { kind: 'offline' }
      const road = isGroupId(message.recipient) ? groups : lookup
      return renewIfSilent(sock, await road.check(sock, message.recipient))
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
        const parts = await compose(sock, message, media)
        // A message that may have left before is not called expired.
        return await roadOf(message).write(
          sock,
          message,
          parts,
          message.attempts <= 1 ? { notAfter: message.expiresAt } : {},
        )
      } catch (error) {
        // Nothing was written yet. That a key could not be stored says nothing about the message or
        // its recipient.
        const isOver = deps.stopping.aborted || live() !== sock
        if (isOver || isDisconnect(error) || error instanceof StorageError) return alreadyLanded({ kind: 'offline' })
        const outcome = outcomeOfError(error, deps.clock.now())
        // WhatsApp's hosts for files say nothing about the line.
        return alreadyLanded(error instanceof NotUploaded ? outcome : renewIfSilent(sock, outcome))
      }
    },
  }
}
