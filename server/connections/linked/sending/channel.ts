import type { WASocket } from 'baileys'
import { isGroupId } from '../../../contract/phone.ts'
import { DAY } from '../../../lib/clock.ts'
import { sleep } from '../../../lib/sleep.ts'
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
import type { ContactRow, Message } from '../../../store/index.ts'
import { askForNumber, NUMBER_PROTOCOLS } from '../account/addressing.ts'
import { LookUpRefused } from '../account/look-ups.ts'
import { answered, isDisconnect, reasonOf } from '../library/questions.ts'
import { NotUploaded, uploadMedia } from '../media/upload.ts'
import { deletionOf, encodedText, mediaContent, type Part, partsOf } from './content.ts'
import type { SendingContext } from './context.ts'
import { checkGroup, timerOfGroup, writeToGroup } from './group-relay.ts'
import { outcomeOfError, writeToPerson } from './relay.ts'

/** Sends the messages of one lane through its linked number. */
export function createLinkedChannel(context: SendingContext): Channel {
  const { senderId, store, record, live, clock } = context
  const writerTo = ({ recipient }: Message) => (isGroupId(recipient) ? writeToGroup : writeToPerson)
  const contactOf = ({ recipient }: Message) => store.contacts.get(senderId, recipient)

  const timerOf = async (sock: WASocket, message: Message): Promise<number | null> =>
    isGroupId(message.recipient)
      ? timerOfGroup(context, sock, message.recipient)
      : ((await contactOf(message))?.timer ?? null)

  async function mediaHosts(sock: WASocket, renewed: boolean) {
    try {
      return await answered(context, sock.refreshMediaConn(renewed))
    } catch (error) {
      // Baileys caches the failed media connection; only a new socket clears it.
      context.renew()
      throw error
    }
  }

  async function upload(sock: WASocket, message: Outgoing, media: MediaFile, timer: number | null) {
    const uploaded = await uploadMedia(media, context, (renewed) => mediaHosts(sock, renewed))
    return mediaContent(media, uploaded, { caption: message.body, timer, now: clock.now() })
  }

  /** Resolves with new content that cannot be rebuilt from the row; undefined: there is none. */
  async function newContent(sock: WASocket, message: Outgoing, media: MediaFile | null, timer: number | null) {
    if (media !== null) return upload(sock, message, media, timer)
    const isDisappearingText = message.file === null && timer !== null
    return isDisappearingText ? encodedText(message, message.providerMessageId, timer) : undefined
  }

  /**
   * Composes the stanzas of a message. Content that cannot be rebuilt from the row is stored before
   * it is sent.
   */
  async function compose(sock: WASocket, message: Outgoing, media: MediaFile | null): Promise<Part[]> {
    const { providerMessageId: id, seq, file } = message
    const timer = await timerOf(sock, message)
    const stored = file === null && timer === null ? undefined : await store.messages.content(seq)
    const content = stored ?? (await newContent(sock, message, media, timer))
    if (stored === undefined && content !== undefined)
      await record.change({ seq }, () => ({ at: clock.now(), content }))
    const parts = partsOf(message, id, content)
    if (parts.length === 0) throw new Error('the file of this message is missing')
    return parts
  }

  /** Deletes a message for everyone. For an audio, deletes the text before it as well. */
  async function withdraw(sock: WASocket, message: Outgoing): Promise<Outcome> {
    const parts = partsOf(message, message.providerMessageId, await store.messages.content(message.seq))
    const deletions = parts.map(({ id }) => deletionOf(id))
    return (await writerTo(message)(context, sock, message, deletions)).outcome
  }

  /**
   * Replaces the connection if a query failed and nothing else arrives either, because the
   * connection is dead.
   */
  function renewIfSilent<T extends Checked>(sock: WASocket, result: T): T | Outcome {
    if (typeof result !== 'object' || result.kind !== 'not_sent') return result
    if (live() !== sock) return { kind: 'offline' }
    if (context.flights.isSilent()) context.renew()
    return result
  }

  return {
    ready: () => live() !== undefined,
    isFirstContact: async (message) => !isGroupId(message.recipient) && (await contactOf(message))?.known !== true,
    async check(message) {
      const sock = live()
      if (sock === undefined) return { kind: 'offline' }
      const check = isGroupId(message.recipient) ? checkGroup : checkNumber
      return renewIfSilent(sock, await check(context, sock, message.recipient))
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
        // An earlier attempt may have sent the message, so it must not be called expired.
        const notAfter = message.attempts <= 1 ? message.expiresAt : undefined
        return await writerTo(message)(context, sock, message, parts, notAfter)
      } catch (error) {
        // Nothing was written yet. A key that could not be stored says nothing about the message or
        // its recipient.
        const isOver = context.stopping.aborted || live() !== sock
        if (isOver || isDisconnect(error) || error instanceof StorageError) return alreadyLanded({ kind: 'offline' })
        const outcome = outcomeOfError(error, clock.now())
        // WhatsApp's hosts for files say nothing about this connection.
        return alreadyLanded(error instanceof NotUploaded ? outcome : renewIfSilent(sock, outcome))
      }
    },
  }
}

const BELIEVE_YES_FOR = 30 * DAY
const BELIEVE_NO_FOR = DAY

const NOT_ON_WHATSAPP: Outcome = { kind: 'refused', code: 'recipient_not_on_whatsapp' }

/**
 * Asks whether a number is on WhatsApp. Remembers the answer for a while, and never asks about
 * known contacts. Stores the address that WhatsApp gives, which may differ from the number (Brazil,
 * Mexico). Never rejects.
 */
async function checkNumber(context: SendingContext, sock: WASocket, phone: string): Promise<Checked> {
  const { clock, stopping } = context
  try {
    return await checkOrThrow(context, sock, phone)
  } catch (error) {
    if (error instanceof LookUpRefused) return { kind: 'wait', until: clock.now() + error.waitMs }
    if (stopping.aborted || isDisconnect(error) || error instanceof StorageError) return { kind: 'offline' }
    return { kind: 'not_sent', reason: `look-up failed: ${error}` }
  }
}

async function checkOrThrow(context: SendingContext, sock: WASocket, phone: string): Promise<Checked> {
  const contact = await context.store.contacts.get(context.senderId, phone)
  if (contact?.known) return 'go'
  const before = rememberedCheck(contact, context.clock.now())
  if (before !== undefined && before !== 'go') return before
  const until = context.holds.until()
  if (until !== null) return { kind: 'wait', until }
  return before ?? askWhatsApp(context, sock, phone)
}

function rememberedCheck(contact: ContactRow | undefined, now: number): Outcome | 'go' | undefined {
  if (contact === undefined) return undefined
  const age = now - contact.checkedAt
  // The clock was set back, so the age of the answer is unknown.
  if (age < 0) return undefined
  if (contact.jid !== null) return age < BELIEVE_YES_FOR ? 'go' : undefined
  return age < BELIEVE_NO_FOR ? NOT_ON_WHATSAPP : undefined
}

async function askWhatsApp(context: SendingContext, sock: WASocket, phone: string): Promise<Checked> {
  const { senderId, store, lookUps, holds, clock } = context
  const rest = lookUps.restMs(NUMBER_PROTOCOLS)
  if (rest > 0) return { kind: 'wait', until: clock.now() + rest }
  const wait = holds.mayLookUpAt() - clock.now()
  if (wait > 0) await sleep(clock, wait, context.stopping)
  holds.lookedUp()
  await context.onLookUp()
  const answer = await askForNumber(lookUps, sock, phone)
  // A missing answer does not mean "not on WhatsApp".
  if (answer === undefined) return { kind: 'not_sent', reason: 'WhatsApp did not say whether the number exists' }
  await store.contacts.change(senderId, phone, { jid: answer?.jid ?? null, checkedAt: clock.now() })
  holds.answered(answer !== null)
  return answer === null ? NOT_ON_WHATSAPP : 'again'
}
