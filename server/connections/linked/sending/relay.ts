import { type BinaryNode, isLidUser, jidDecode, type WASocket } from 'baileys'
import { StorageError } from '../../../lib/storage-error.ts'
import { EXPIRED, type Flight, type Outcome, type Outgoing } from '../../../messages/channel.ts'
import type { ContactRow, Message } from '../../../store/index.ts'
import {
  type Address,
  addressIn,
  afterAttempt,
  askForNumber,
  type ContactForm,
  type Form,
  formFor,
} from '../account/addressing.ts'
import { type Device, isOutdated, prepareDevices } from '../account/devices.ts'
import { LookUpRefused } from '../account/look-ups.ts'
import { answered, isDisconnect, reasonOf } from '../library/questions.ts'
import { pnJidOf, userOf } from '../library/stanzas.ts'
import { editOf, inChat, type Part } from './content.ts'
import type { SendingContext } from './context.ts'
import { type Acknowledgement, type Landing, launch, outcomeOfAck } from './flights.ts'

/** One stanza of a message, addressed by LID or by phone number. */
interface Written {
  context: SendingContext
  sock: WASocket
  message: Outgoing
  part: Part
  contact: ContactRow | undefined
  address: Address
  /** Error that led to this second form; undefined: this is the first. */
  turnedBy: '400' | '463' | undefined
  /** Nothing is written from this time on, in milliseconds since 1970. */
  notAfter: number
}

const formOf = (contact: ContactRow | undefined): ContactForm | null =>
  contact?.form && contact.formWhile ? { form: contact.form, whileAccountUses: contact.formWhile } : null

/**
 * Writes a message to a person, in the form that the account and the contact need. Resolves when
 * all parts are written. The queries before it may take long, for example because the PC slept, so
 * `notAfter` is checked after them.
 * @throws any error before the first part is written; nothing was sent
 */
export async function writeToPerson(
  context: SendingContext,
  sock: WASocket,
  message: Outgoing,
  parts: readonly Part[],
  notAfter = Number.POSITIVE_INFINITY,
): Promise<Flight> {
  const { senderId, store, account, clock } = context
  const contact = await store.contacts.get(senderId, message.recipient)
  const form = formFor(account.facts().form, formOf(contact))
  const address = await answered(context, prepare(context, sock, message, form))
  if (clock.now() >= notAfter) return { outcome: Promise.resolve(EXPIRED) }
  return writeParts(parts, async (part) => {
    const written = { context, sock, message, part, contact, address, turnedBy: undefined, notAfter }
    const { landing } = await put(written)
    return { outcome: conclude(written, landing) }
  })
}

/**
 * Writes the stanzas of a message in their order.
 * @throws the error of the first stanza; nothing was sent
 */
export async function writeParts(parts: readonly Part[], write: (part: Part) => Promise<Flight>): Promise<Flight> {
  const outcomes: Promise<Outcome>[] = []
  for (const part of parts) {
    try {
      outcomes.push((await write(part)).outcome)
    } catch (error) {
      if (outcomes.length === 0) throw error
      outcomes.push(Promise.resolve({ kind: 'not_sent', reason: reasonOf(error) }))
      break
    }
  }
  return { outcome: Promise.all(outcomes).then(together) }
}

/**
 * Resolves with the address that messages to a chat are written to.
 * @param jid the chat, in either form
 */
export async function addressOfChat(context: SendingContext, sock: WASocket, jid: string): Promise<Address> {
  const { senderId, store, account, lookUps } = context
  const pnJid = isLidUser(jid) ? await sock.signalRepository.lidMapping.getPNForLID(jid) : jid
  const contact = await store.contacts.get(senderId, userOf(pnJid ?? undefined))
  return addressIn(lookUps, sock, formFor(account.facts().form, formOf(contact)), pnJid ?? jid)
}

/**
 * Resolves with the recipient's address when its devices and their sessions are known.
 * @throws any error; nothing was sent
 */
async function prepare(
  { senderId, store, lookUps, devices }: SendingContext,
  sock: WASocket,
  { recipient }: Message,
  form: Form,
): Promise<Address> {
  // The address that WhatsApp gave may differ from the number.
  const jid = (await store.contacts.get(senderId, recipient))?.jid ?? pnJidOf(recipient)
  const address = await addressIn(lookUps, sock, form, jid)
  await prepareDevices(lookUps, sock, devices, address)
  return address
}

/** Resolves when the stanza is written, although its frame may still be held (write-barrier.ts). */
async function put({ context, sock, part, address }: Written): Promise<{ landing: Promise<Landing> }> {
  const additionalNodes = await context.trust.nodesFor(sock, address.lidUser)
  return launch(context.flights, sock, part.id, () =>
    sock.relayMessage(address.jid, inChat(part.content, address.jid), {
      messageId: part.id,
      additionalAttributes: {
        ...(address.form === 'lid' ? { peer_recipient_pn: address.pnJid } : {}),
        ...editOf(part.content),
      },
      additionalNodes,
    }),
  )
}

async function conclude(written: Written, landing: Promise<Landing>): Promise<Outcome> {
  const landed = await landing
  if (landed.kind !== 'ack') return landed
  if (landed.refreshLid) void refresh(written)
  const again = learnForm(written, landed)
  if (again === undefined) return outcome(written, landed)
  const { context, sock, message } = written
  try {
    const address = await answered(context, prepare(context, sock, message, again.form))
    if (context.clock.now() >= written.notAfter) return EXPIRED
    // There is no other form for a recipient whose LID is unknown.
    if (address.form !== again.form) return outcome(written, landed)
    const second = { ...written, address, turnedBy: again.turnedBy }
    return await conclude(second, (await put(second)).landing)
  } catch (error) {
    if (isDisconnect(error) || error instanceof StorageError) return { kind: 'offline' }
    return outcomeOfError(error, context.clock.now())
  }
}

/**
 * Learns the form from an acknowledgement. Returns the form in which to write the message once
 * more; undefined: not again.
 */
function learnForm({ context, message, contact, address, turnedBy }: Written, { error }: Acknowledgement) {
  const { senderId, store, account, holds, logger } = context
  const before = { account: account.facts().form, contact: formOf(contact) }
  const after = afterAttempt({
    ...before,
    form: address.form,
    turnedBy,
    error,
    known: contact?.known === true,
    locked: holds.isLocked(),
  })
  if (after.account !== before.account) account.update({ form: after.account })
  if (after.contact !== null && after.contact !== before.contact) {
    const { form, whileAccountUses } = after.contact
    store.contacts
      .change(senderId, message.recipient, { form, formWhile: whileAccountUses })
      .catch((err: unknown) => logger.warn({ err }, 'the form of a contact could not be stored'))
  }
  return after.again
}

async function outcome(written: Written, { error, phash }: Acknowledgement): Promise<Outcome> {
  const { context } = written
  if (error === undefined) {
    context.onAcknowledged()
    noteDevices(written, phash)
    return { kind: 'acknowledged' }
  }
  if (error !== '463' && error !== '475') return outcomeOfAck(error)
  const until = await context.holds.afterRefusal()
  if (typeof until === 'number') return { kind: 'held', until, reason: error }
  // 475 certainly means the cap on new chats, so wait. If WhatsApp does not say why it refused a
  // stranger, wait too.
  if (error === '475' || until === 'unknown') return { kind: 'held', until: null, reason: error }
  const newUntil = context.holds.refusedUntil()
  return newUntil === null ? outcomeOfAck(error) : { kind: 'held', until: newUntil, reason: error }
}

/**
 * Drops the cached device lists if the acknowledgement's hash shows that the message was written to
 * other devices. Never a reason to send the message again.
 */
function noteDevices({ context, sock, address }: Written, phash: string | undefined): void {
  const { store } = context.devices
  const [user, ownUser] = [userOf(address.jid), userOf(address.ownJid)]
  const lists = new Map([user, ownUser].map((one) => [one, store.get<Device[]>(one) ?? []]))
  const { me } = sock.authState.creds
  const self = jidDecode(address.form === 'lid' ? me?.lid : me?.id)
  const own = { user: ownUser, server: self?.server ?? '', device: self?.device ?? 0 }
  if (isOutdated(phash, [...lists.values()].flat(), own)) for (const one of lists.keys()) store.del(one)
}

async function refresh({ context, sock, address }: Written): Promise<void> {
  context.devices.store.del(userOf(address.jid))
  await askForNumber(context.lookUps, sock, userOf(address.pnJid)).catch(() => undefined)
}

/**
 * Returns the outcome of an error before anything was written. A refused look-up does not count as
 * an attempt. Pure.
 */
export const outcomeOfError = (error: unknown, now: number): Outcome =>
  error instanceof LookUpRefused
    ? { kind: 'held', until: now + error.waitMs, reason: reasonOf(error) }
    : { kind: 'not_sent', reason: reasonOf(error) }

/**
 * Combines the outcomes of a message's stanzas: all must be acknowledged. If one stanza may have
 * left and another is lost or held, the outcome is unknown, because part of the message may have
 * left. Pure.
 */
export function together(outcomes: readonly Outcome[]): Outcome {
  const bad = outcomes.find(({ kind }) => kind !== 'acknowledged')
  const isLoss = bad?.kind === 'offline' || bad?.kind === 'not_sent' || bad?.kind === 'held'
  const hasLeft = outcomes.some(({ kind }) => kind === 'acknowledged' || kind === 'unknown')
  return isLoss && hasLeft ? { kind: 'unknown', reason: 'only a part of it left' } : (bad ?? { kind: 'acknowledged' })
}

export const acknowledgementIn = ({ attrs }: BinaryNode): Acknowledgement => ({
  kind: 'ack',
  error: attrs.error,
  phash: attrs.phash,
  refreshLid: attrs.refresh_lid === 'true',
})
