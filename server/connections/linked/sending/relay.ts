import { type BinaryNode, isLidUser, jidDecode, type WASocket } from 'baileys'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import { StorageError } from '../../../lib/storage-error.ts'
import { EXPIRED, type Flight, type Outcome, type Outgoing } from '../../../messages/channel.ts'
import type { ContactRow, ContactStore } from '../../../store/index.ts'
import type { Account } from '../account/account-facts.ts'
import { type Address, addressIn, askForNumber } from '../account/address-book.ts'
import { afterAttempt, type ContactForm, type Form, formFor } from '../account/addressing.ts'
import { type DeviceCache, prepareDevices } from '../account/device-lists.ts'
import { type Device, isOutdated } from '../account/devices.ts'
import type { FirstContactHolds } from '../account/first-contacts.ts'
import { LookUpRefused, type LookUps } from '../account/look-ups.ts'
import type { Lookup } from '../account/lookup.ts'
import type { Trust } from '../account/trust.ts'
import { isDisconnect, reasonOf } from '../library/errors.ts'
import { userOf } from '../library/jids.ts'
import { answered } from '../library/questions.ts'
import { editOf, inChat, type Part } from './content.ts'
import { type Acknowledgement, type Flights, type Landing, launch, outcomeOfAck } from './flights.ts'

export interface RelayDeps {
  senderId: number
  account: Account
  contacts: ContactStore
  lookup: Lookup
  lookUps: LookUps
  holds: FirstContactHolds
  devices: DeviceCache
  flights: Flights
  trust: Trust
  clock: Clock
  logger: Logger
  /** How long the questions before a message may take together, in milliseconds. */
  queryTimeout: number
  /** WhatsApp acknowledged a message. */
  onAcknowledged(): void
}

/** One stanza of a message, in one of the two forms. */
interface Written {
  sock: WASocket
  message: Outgoing
  part: Part
  contact: ContactRow | undefined
  address: Address
  /** The error for which this is the second form; undefined: it is the first. */
  turnedBy: '400' | '463' | undefined
  /** In milliseconds since 1970: nothing is written from then on. */
  notAfter: number
}

const formOf = (contact: ContactRow | undefined): ContactForm | null =>
  contact?.form && contact.formWhile ? { form: contact.form, whileAccountUses: contact.formWhile } : null

export type Relay = ReturnType<typeof createRelay>

/**
 * Writes stanzas in the form that the account and the contact need, and reads what acknowledgements
 * say of it.
 */
export function createRelay(deps: RelayDeps) {
  const { account, lookup, lookUps, devices, flights, holds } = deps

  /**
   * Everything that must be known before the stanza.
   * @throws whatever went wrong; nothing was sent
   */
  async function prepare(sock: WASocket, message: Outgoing, form: Form): Promise<Address> {
    const address = await addressIn(lookUps, sock, form, await lookup.jidOf(message.recipient))
    await prepareDevices(lookUps, sock, devices, address)
    return address
  }

  /** Resolves when the stanza is written, though it may be held for a moment. */
  async function put({ sock, part, address }: Written): Promise<{ landing: Promise<Landing> }> {
    const additionalNodes = await deps.trust.nodesFor(sock, address.lidUser)
    return launch(flights, sock, part.id, () =>
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
    const again = learn(written, landed)
    if (again === undefined) return outcome(written, landed)
    try {
      const { sock, message } = written
      const address = await answered(deps, prepare(sock, message, again.form))
      if (deps.clock.now() >= written.notAfter) return EXPIRED
      // There is no other form for a recipient whose LID is unknown.
      if (address.form !== again.form) return outcome(written, landed)
      const second = { ...written, address, turnedBy: again.turnedBy }
      return await conclude(second, (await put(second)).landing)
    } catch (error) {
      if (isDisconnect(error) || error instanceof StorageError) return { kind: 'offline' }
      return outcomeOfError(error, deps.clock.now())
    }
  }

  /**
   * Learns the form from the acknowledgement; resolves with the one in which to write the message
   * once more.
   */
  function learn({ message, contact, address, turnedBy }: Written, { error }: Acknowledgement) {
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
      deps.contacts
        .change(deps.senderId, message.recipient, { form, formWhile: whileAccountUses })
        .catch((err: unknown) => deps.logger.warn({ err }, 'the form of a contact could not be stored'))
    }
    return after.again
  }

  async function outcome(written: Written, { error, phash, refreshLid }: Acknowledgement): Promise<Outcome> {
    if (error === undefined) {
      deps.onAcknowledged()
      noteDevices(written, phash)
      if (refreshLid) void refresh(written)
      return { kind: 'acknowledged' }
    }
    if (error !== '463' && error !== '475') return outcomeOfAck(error)
    const until = await holds.afterRefusal()
    if (typeof until === 'number') return { kind: 'held', until, reason: error }
    // The cap is beyond doubt, and a refused stranger where WhatsApp does not say why: wait a
    // while.
    if (error === '475' || until === 'unknown') return { kind: 'held', until: null, reason: error }
    const newUntil = holds.refusedUntil()
    return newUntil === null ? outcomeOfAck(error) : { kind: 'held', until: newUntil, reason: error }
  }

  /**
   * Another hash means other devices than those that were written to. Never a reason to send the
   * message again.
   */
  function noteDevices({ sock, address }: Written, phash: string | undefined): void {
    const [user, ownUser] = [userOf(address.jid), userOf(address.ownJid)]
    const lists = new Map([user, ownUser].map((one) => [one, devices.store.get<Device[]>(one) ?? []]))
    const { me } = sock.authState.creds
    const self = jidDecode(address.form === 'lid' ? me?.lid : me?.id)
    const own = { user: ownUser, server: self?.server ?? '', device: self?.device ?? 0 }
    if (isOutdated(phash, [...lists.values()].flat(), own)) for (const one of lists.keys()) devices.store.del(one)
  }

  async function refresh({ sock, address }: Written): Promise<void> {
    devices.store.del(userOf(address.jid))
    await askForNumber(lookUps, sock, userOf(address.pnJid)).catch(() => undefined)
  }

  return {
    /** The address of a chat, whose jid may be in either form, as messages to it are written. */
    async addressOf(sock: WASocket, jid: string): Promise<Address> {
      const pnJid = isLidUser(jid) ? await sock.signalRepository.lidMapping.getPNForLID(jid) : jid
      const form = formFor(account.facts().form, formOf(await lookup.contact(userOf(pnJid ?? undefined))))
      return addressIn(lookUps, sock, form, pnJid ?? jid)
    },
    /**
     * Resolves when all parts are written. The questions before it may take long, also because the
     * PC slept: the time is looked at after them.
     * @throws whatever went wrong before; nothing was sent
     */
    async write(
      sock: WASocket,
      message: Outgoing,
      parts: readonly Part[],
      { notAfter = Number.POSITIVE_INFINITY } = {},
    ): Promise<Flight> {
      const contact = await lookup.contact(message.recipient)
      const form = formFor(account.facts().form, formOf(contact))
      const address = await answered(deps, prepare(sock, message, form))
      if (deps.clock.now() >= notAfter) return { outcome: Promise.resolve(EXPIRED) }
      const outcomes: Promise<Outcome>[] = []
      for (const part of parts) {
        const written = { sock, message, part, contact, address, turnedBy: undefined, notAfter }
        outcomes.push(conclude(written, (await put(written)).landing))
      }
      return { outcome: Promise.all(outcomes).then(together) }
    },
  }
}

/** Nothing was written. What WhatsApp does not answer now costs no attempt. Pure. */
export const outcomeOfError = (error: unknown, now: number): Outcome =>
  error instanceof LookUpRefused
    ? { kind: 'held', until: now + error.waitMs, reason: reasonOf(error) }
    : { kind: 'not_sent', reason: reasonOf(error) }

/**
 * A message that needs two stanzas has arrived when both have. Where one of them may have left, the
 * other one's loss does not mean that nothing did. Pure.
 */
export function together(outcomes: readonly Outcome[]): Outcome {
  const bad = outcomes.find(({ kind }) => kind !== 'acknowledged')
  const isLoss = bad?.kind === 'offline' || bad?.kind === 'not_sent'
  const hasLeft = outcomes.some(({ kind }) => kind === 'acknowledged' || kind === 'unknown')
  return isLoss && hasLeft ? { kind: 'unknown', reason: 'only a part of it left' } : (bad ?? { kind: 'acknowledged' })
}

/** Reads an acknowledgement. */
export const acknowledgementIn = ({ attrs }: BinaryNode): Acknowledgement => ({
  kind: 'ack',
  error: attrs.error,
  phash: attrs.phash,
  refreshLid: attrs.refresh_lid === 'true',
})
