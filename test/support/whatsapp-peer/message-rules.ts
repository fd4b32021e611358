import type { BinaryNode } from 'baileys'
import { type Account, isStrict } from './account.ts'
import { type Address, parseJid } from './address.ts'
import { type Companion, type Contact, type Directory, deviceIds, deviceJidOf } from './directory.ts'
import { isCapped, lockAt } from './reach.ts'
import { attribute, child, children } from './stanza.ts'
import { checkToken } from './tokens.ts'

/** The server's verdict on a message, before anything is delivered. */
export interface Verdict {
  /** Error of the acknowledgement; the message is not delivered then. */
  error: string | undefined
  /** The message was addressed to an old LID. */
  refreshLid: boolean
  /** There was no chat with the recipient before. */
  newChat: boolean
  token: 'tctoken' | 'cstoken' | undefined
}

const WRONG_FORM = '400'
const UNKNOWN_RECIPIENT = '404'
const NOT_TRUSTED = '463'
const CAPPED = '475'
const INVALID = '479'

/** Child nodes that a direct message may have. */
const CHILDREN = new Set(['participants', 'enc', 'device-identity', 'reporting', 'tctoken', 'cstoken', 'meta'])
/** Attributes that only group messages have. */
const GROUP_ATTRIBUTES = ['addressing_mode', 'phash', 'participant']

/**
 * Returns true for an answer to a retry receipt or a message to an own device: one copy without a
 * list of devices.
 */
const isForOneDevice = (message: BinaryNode): boolean => child(message, 'enc') !== undefined

interface Participant {
  address: Address
  jid: string
  enc: BinaryNode | undefined
}

const participantsOf = (message: BinaryNode): Participant[] | undefined => {
  const list = child(message, 'participants')
  if (list === undefined) return undefined
  return children(list).flatMap((to) => {
    const jid = attribute(to, 'jid') ?? ''
    const address = parseJid(jid)
    return address === undefined ? [] : [{ address, jid, enc: child(to, 'enc') }]
  })
}

/** Returns true if a stanza has the form that servers accept from any account. */
function isWellFormed(message: BinaryNode, sender: Companion, recipient: Contact, directory: Directory): boolean {
  const to = parseJid(message.attrs.to)
  if (to === undefined || to.isHosted) return false
  if (GROUP_ATTRIBUTES.some((name) => attribute(message, name) !== undefined)) return false
  if (children(message).some(({ tag }) => !CHILDREN.has(tag))) return false

  const participants = participantsOf(message)
  if (isForOneDevice(message)) {
    // Baileys also lists the device that asked beside its copy, and servers accept that.
    return participants?.every(({ jid }) => jid === message.attrs.to) !== false
  }
  if (participants === undefined) return false
  if (to.device !== 0 || participants.length === 0) return false
  if (participants.length !== children(child(message, 'participants')).length) return false

  const seen = new Set<string>()
  for (const { address, jid, enc } of participants) {
    const contact = directory.find(jid)?.contact
    const isOwn = contact === sender.contact
    // A participant in another form than the rest, or of another person, makes servers refuse the
    // whole stanza.
    if (address.isLid !== to.isLid || address.isHosted) return false
    if (contact === undefined || (!isOwn && contact !== recipient)) return false
    if (isOwn && address.device === sender.device) return false
    if (seen.has(jid)) return false
    seen.add(jid)
    if (enc === undefined || enc.attrs.v !== '2' || !['msg', 'pkmsg'].includes(enc.attrs.type ?? '')) return false
  }
  // A message that begins a session must prove that the phone vouched for this client.
  const begins = participants.some(({ enc }) => enc?.attrs.type === 'pkmsg')
  if (begins && child(message, 'device-identity') === undefined) return false
  return isRightNumber(attribute(message, 'peer_recipient_pn'), to, recipient)
}

/** Returns true if the optional phone number beside a LID is absent or correct. */
function isRightNumber(jid: string | undefined, to: Address, recipient: Contact): boolean {
  if (jid === undefined) return true
  const address = parseJid(jid)
  return (
    to.isLid && address !== undefined && !address.isLid && address.device === 0 && address.user === recipient.number
  )
}

/**
 * Returns true if the address has the account's form. A contact who moved is reached by LID from
 * every account.
 */
const isOfAccountsForm = ({ kind }: Account, { isLid }: Address, { moved }: Contact): boolean =>
  (kind === 'migrated') === isLid || (isLid && moved)

/** Judges by the rules of the account: address form, trust, lock and cap. */
function judgeStrictly(message: BinaryNode, sender: Companion, recipient: Contact, now: number): Verdict {
  const { account } = sender.contact
  const to = parseJid(message.attrs.to)
  const verdict: Verdict = { error: undefined, refreshLid: false, newChat: false, token: undefined }
  const refused = (error: string): Verdict => ({ ...verdict, error })
  if (to === undefined || !isOfAccountsForm(account, to, recipient)) return refused(WRONG_FORM)
  if (!recipient.onWhatsApp) return refused(UNKNOWN_RECIPIENT)
  verdict.refreshLid = to.isLid && recipient.formerLids.has(to.user)
  // Messages between own devices must not carry a token.
  if (recipient === sender.contact && child(message, 'tctoken') !== undefined) return refused(INVALID)
  // An answer to a retry receipt belongs to a message that was judged before, and has no token.
  if (isForOneDevice(message) || recipient === sender.contact) return verdict

  const token = checkToken(message, sender.contact, recipient, now)
  if (token === 'malformed') return refused(INVALID)
  verdict.token = token === 'valid' ? 'tctoken' : token === 'cstoken' ? 'cstoken' : undefined
  verdict.newChat = !account.chats.has(recipient)
  if (recipient.moved && !to.isLid) return refused(NOT_TRUSTED)
  if (recipient.demandsToken && token !== 'valid') return refused(NOT_TRUSTED)
  // Under a lock only chats with people who trust the account go on. A cstoken does not suffice.
  if (lockAt(account.reach, now) !== undefined && token !== 'valid') return refused(NOT_TRUSTED)
  if (verdict.newChat && token !== 'valid' && isCapped(account.reach, now)) return refused(CAPPED)
  return verdict
}

/** Judges a message to a person. Pure: the caller acts on the verdict. */
export function judge(
  message: BinaryNode,
  sender: Companion,
  recipient: Contact | undefined,
  directory: Directory,
  now: number,
): Verdict {
  const accepted: Verdict = { error: undefined, refreshLid: false, newChat: false, token: undefined }
  if (!isStrict(sender.contact.account)) return accepted
  if (recipient === undefined) return { ...accepted, error: UNKNOWN_RECIPIENT }
  if (!isWellFormed(message, sender, recipient, directory)) return { ...accepted, error: WRONG_FORM }
  return judgeStrictly(message, sender, recipient, now)
}

/**
 * Returns the devices that a message to this recipient must have copies for, in the form of its
 * address, without hosted ones.
 */
export function expectedDevices(sender: Companion, recipient: Contact, isLid: boolean): string[] {
  const of = (contact: Contact) =>
    deviceIds(contact)
      .filter((id) => !contact.devices.get(id)?.hosted && !(contact === sender.contact && id === sender.device))
      .map((id) => deviceJidOf(contact, isLid, id))
  return recipient === sender.contact ? of(recipient) : [...of(recipient), ...of(sender.contact)]
}
