import {
  isLidUser,
  isPnUser,
  type SignalKeyStore,
  USyncQuery,
  USyncUser,
  type WAMessageKey,
  type WASocket,
} from 'baileys'
import { lidJidOf, pnJidOf, userOf } from '../library/stanzas.ts'
import type { LookUps } from './look-ups.ts'

/**
 * How an account addresses people: by LID or by phone number, never mixed in one stanza
 * (docs/decisions/0014-contacts.md).
 */
export type Form = 'lid' | 'pn'

export interface AccountForm {
  form: Form
  /** Proof of the form; an account begins with `assumed`. */
  proof: 'assumed' | 'client_props' | 'prop' | 'history' | 'acknowledged'
}

/**
 * The form for a contact to whom a message was once refused with 463. Valid only while the
 * account's form is `whileAccountUses`.
 */
export interface ContactForm {
  form: Form
  whileAccountUses: Form
}

/**
 * Form of an account that has said nothing about itself yet. LID is the cheaper mistake: if the
 * account is not migrated, WhatsApp refuses the whole stanza (400) and does not count it. A phone
 * number for a migrated contact gets a 463, which counts as a message to a stranger (OpenWA PR
 * 717). whatsmeow always writes LIDs.
 */
export const ASSUMED_FORM: AccountForm = { form: 'lid', proof: 'assumed' }

export type Evidence =
  /** `client-props` in pair-success; undefined: missing or unreadable, so no evidence. */
  | { from: 'client_props'; migrated: boolean | undefined }
  /** Server prop 9435. Its absence is no evidence. */
  | { from: 'prop'; migrated: boolean }
  /** chatDbLidMigrationTimestamp of the history's global settings, in seconds; 0: none. */
  | { from: 'history'; migratedAt: number }

/**
 * Returns the form of an account after new evidence, or the same object if the form stays. Missing
 * evidence never takes a migration back: a new link of the same account that does not mention it
 * repeats an old answer. "Not migrated" counts only from `client-props`, and only while the form is
 * assumed.
 */
export function formAfter(account: AccountForm, evidence: Evidence): AccountForm {
  const migrated = evidence.from === 'history' ? evidence.migratedAt > 0 : evidence.migrated === true
  if (account.proof === 'assumed' && evidence.from === 'client_props' && evidence.migrated === false) {
    return { form: 'pn', proof: evidence.from }
  }
  const isNews = account.form !== 'lid' || account.proof === 'assumed'
  return migrated && isNews ? { form: 'lid', proof: evidence.from } : account
}

/** Returns the form for the first stanza of a message. */
export const formFor = (account: AccountForm, contact: ContactForm | null): Form =>
  contact?.whileAccountUses === account.form ? contact.form : account.form

/** A stanza and how WhatsApp acknowledged it. */
export interface Attempted {
  account: AccountForm
  contact: ContactForm | null
  form: Form
  /** Error that led to this repeat in the other form; undefined: this is the first stanza. */
  turnedBy: '400' | '463' | undefined
  /** The error of the acknowledgement; undefined: accepted. */
  error: string | undefined
  /** True if the contact is known. For a stranger, a 463 says nothing about the form. */
  known: boolean
  /** True while WhatsApp's lock on messages to strangers is on, which alone explains a 463. */
  locked: boolean
}

export interface AfterAttempt {
  account: AccountForm
  contact: ContactForm | null
  /** Form for one repeat under the same id, because nothing was delivered; undefined: no repeat. */
  again: { form: Form; turnedBy: '400' | '463' } | undefined
}

const otherForm = (form: Form): Form => (form === 'lid' ? 'pn' : 'lid')

/**
 * Returns what an acknowledgement changes. A 400 refuses the whole stanza: the message is repeated
 * once in the other form, which becomes the account's form if WhatsApp accepts it. A 463 to a known
 * contact without a lock: the message is repeated once in the other form, and no later message to
 * this contact is, whatever comes of it. No other answer says anything about the form.
 */
export function afterAttempt({ account, contact, form, turnedBy, error, known, locked }: Attempted): AfterAttempt {
  const remember = (chosen: Form): ContactForm => ({ form: chosen, whileAccountUses: account.form })
  const same = { account, contact, again: undefined }

  if (turnedBy === '400') return error === undefined ? { ...same, account: { form, proof: 'acknowledged' } } : same
  if (turnedBy === '463') return { ...same, contact: remember(error === undefined ? form : otherForm(form)) }
  if (error === '400') return { ...same, again: { form: otherForm(form), turnedBy: error } }
  const turnedBefore = contact?.whileAccountUses === account.form
  if (error === '463' && known && !locked && !turnedBefore) {
    return { ...same, again: { form: otherForm(form), turnedBy: error } }
  }
  return same
}

/** Recipient and own address for a message, both in one form and without device numbers. */
export interface Address {
  form: Form
  jid: string
  /** The recipient by phone number, whatever the form. */
  pnJid: string
  /** User part of the recipient's LID; null: unknown. */
  lidUser: string | null
  ownJid: string
}

/** Names of the USync protocols that `askForNumber` uses. */
export const NUMBER_PROTOCOLS = ['contact', 'lid']

/**
 * Asks whether a number is on WhatsApp, and for its LID. Resolves with null if the number is not on
 * WhatsApp, with undefined if WhatsApp did not say.
 * @throws LookUpRefused
 */
export async function askForNumber(
  lookUps: LookUps,
  sock: WASocket,
  phone: string,
): Promise<{ jid: string; lid: string | null } | null | undefined> {
  const question = new USyncQuery()
    .withContext('interactive')
    .withContactProtocol()
    .withLIDProtocol()
    .withUser(new USyncUser().withPhone(`+${phone}`))
  const users = await lookUps.ask(sock, question)
  const found = users?.find(({ contact }) => contact === true)
  // Only an explicit no counts. A list without the number says nothing.
  if (found === undefined) return users?.some(({ contact }) => contact === false) ? null : undefined
  // WhatsApp may write the number differently (Brazil, Mexico), or give only the LID.
  const [jid, named] = isLidUser(found.id) ? [pnJidOf(phone), found.id] : [found.id, found.lid]
  const lid = typeof named === 'string' ? userOf(named) : ''
  if (lid === '') return { jid, lid: null }
  await learnPairs(sock, [{ phone: userOf(jid), lid }])
  return { jid, lid }
}

/** Stores pairs of a phone number and a LID that belong together. */
async function learnPairs(sock: WASocket, pairs: readonly { phone: string; lid: string }[]): Promise<void> {
  if (pairs.length === 0) return
  await sock.signalRepository.lidMapping.storeLIDPNMappings(
    pairs.map(({ phone, lid }) => ({ pn: pnJidOf(phone), lid: lidJidOf(lid) })),
  )
}

/**
 * Stores pairs from a history, except for numbers that have a LID already: WhatsApp's word on a
 * number is newer than the history (whatsapp-rust).
 */
export async function learnNewPairs(sock: WASocket, pairs: readonly { phone: string; lid: string }[]): Promise<void> {
  const phones = pairs.map(({ phone }) => phone)
  const known = await sock.authState.keys.get('lid-mapping', phones)
  await learnPairs(
    sock,
    pairs.filter(({ phone }) => !known[phone]),
  )
}

/** Resolves with the stored LID of a number (user part), without asking WhatsApp; null: none. */
export async function knownLid(keys: SignalKeyStore, phone: string): Promise<string | null> {
  const lid = (await keys.get('lid-mapping', [phone]))[phone]
  return typeof lid === 'string' && lid !== '' ? lid : null
}

/**
 * Resolves with the phone number of a message's chat; undefined: unknown. WhatsApp addresses people
 * by number or by a hidden id (LID), but the rest of Kurir knows only numbers.
 */
export async function phoneNumberOf(sock: WASocket, key: WAMessageKey): Promise<string | undefined> {
  const jids = [key.remoteJid ?? '', key.remoteJidAlt ?? '']
  const lid = jids.find((jid) => isLidUser(jid))
  const jid = jids.find((one) => isPnUser(one)) ?? (lid && (await sock.signalRepository.lidMapping.getPNForLID(lid)))
  return userOf(jid ?? undefined) || undefined
}

/**
 * Resolves with the address of a number in `form`, or by phone number if a LID is missing.
 * @param jid the number's jid as WhatsApp gave it
 * @throws LookUpRefused
 */
export async function addressIn(lookUps: LookUps, sock: WASocket, form: Form, jid: string): Promise<Address> {
  const phone = userOf(jid)
  const { id, lid: ownLid } = sock.authState.creds.me ?? { id: '' }
  let lidUser = phone === userOf(id) ? userOf(ownLid) || null : await knownLid(sock.authState.keys, phone)
  const byLid = form === 'lid' && userOf(ownLid) !== ''
  if (byLid && lidUser === null) lidUser = (await askForNumber(lookUps, sock, phone))?.lid ?? null
  const pnJid = pnJidOf(phone)
  return byLid && lidUser !== null
    ? { form: 'lid', jid: lidJidOf(lidUser), pnJid, lidUser, ownJid: lidJidOf(userOf(ownLid)) }
    : { form: 'pn', jid: pnJid, pnJid, lidUser, ownJid: pnJidOf(userOf(id)) }
}
