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

/** Form of an account, as it is kept. */
export interface AccountForm {
  form: Form
  /** Proof of the form; an account begins with `assumed`. */
  proof: 'assumed' | 'client_props' | 'prop' | 'history' | 'acknowledged'
}

/**
 * Form of a contact whose messages were once refused with 463, valid while the account's form is
 * the same.
 */
export interface ContactForm {
  form: Form
  whileAccountUses: Form
}

/**
 * Form of an account that has said nothing yet. A LID from one that is not migrated is refused as a
 * whole (400), which counts nowhere; a number to somebody who has moved gets a 463, which counts as
 * a message to a stranger (OpenWA PR 717). whatsmeow writes LIDs always.
 */
export const ASSUMED_FORM: AccountForm = { form: 'lid', proof: 'assumed' }

export type Evidence =
  /** `client-props` in pair-success; undefined: missing or unreadable, which says nothing. */
  | { from: 'client_props'; migrated: boolean | undefined }
  /** Server prop 9435. Its absence says nothing. */
  | { from: 'prop'; migrated: boolean }
  /** chatDbLidMigrationTimestamp of the history's global settings, in seconds; 0: none. */
  | { from: 'history'; migratedAt: number }

/**
 * Applies what an account says of itself. A migration is never taken back by less evidence: a new
 * link of the same account that says nothing of it gives an old answer, not a new fact. That it is
 * not migrated counts only as long as nothing else is known.
 */
export function formAfter(account: AccountForm, evidence: Evidence): AccountForm {
  const migrated = evidence.from === 'history' ? evidence.migratedAt > 0 : evidence.migrated === true
  if (account.proof === 'assumed' && evidence.from === 'client_props' && evidence.migrated === false) {
    return { form: 'pn', proof: evidence.from }
  }
  const isNews = account.form !== 'lid' || account.proof === 'assumed'
  return migrated && isNews ? { form: 'lid', proof: evidence.from } : account
}

/** The form for the first stanza of a message. */
export const formFor = (account: AccountForm, contact: ContactForm | null): Form =>
  contact?.whileAccountUses === account.form ? contact.form : account.form

/** A stanza and how WhatsApp acknowledged it. */
export interface Attempted {
  account: AccountForm
  contact: ContactForm | null
  form: Form
  /**
   * The error for which this message is written in its second form; undefined: this is its first.
   */
  turnedBy: '400' | '463' | undefined
  /** The error of the acknowledgement; undefined: accepted. */
  error: string | undefined
  /** True if the contact is known: a 463 to a stranger says nothing about the form. */
  known: boolean
  /** True while a lock is on, which explains a 463 by itself. */
  locked: boolean
}

export interface AfterAttempt {
  account: AccountForm
  contact: ContactForm | null
  /** Write the message once more under the same id, in this form: nothing was delivered. */
  again: { form: Form; turnedBy: '400' | '463' } | undefined
}

const otherForm = (form: Form): Form => (form === 'lid' ? 'pn' : 'lid')

/**
 * Applies an acknowledgement. 400 refuses the whole stanza: the other form once, and the account's
 * form follows when that is accepted. 463 to a known contact without a lock: the other form once
 * for this contact, whatever comes of it. Everything else says nothing about the form.
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

/** Address of a message, all of it in one form; without device numbers. */
export interface Address {
  form: Form
  jid: string
  /** The same person by phone number. */
  pnJid: string
  /** Null where it is not known. */
  lidUser: string | null
  ownJid: string
}

/** Protocols of `askForNumber`. */
export const NUMBER_PROTOCOLS = ['contact', 'lid']

/**
 * Asks whether a number is on WhatsApp, and for its LID; undefined: no answer.
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
  // Only a clear no is one: a list without the number says nothing.
  if (found === undefined) return users?.some(({ contact }) => contact === false) ? null : undefined
  // The number may be written in another way there (Brazil, Mexico), or be left out beside the LID.
  const [jid, named] = isLidUser(found.id) ? [pnJidOf(phone), found.id] : [found.id, found.lid]
  const lid = typeof named === 'string' ? userOf(named) : ''
  if (lid === '') return { jid, lid: null }
  await learnPairs(sock, [{ phone: userOf(jid), lid }])
  return { jid, lid }
}

/** Pairs of a phone number and a LID that are known to belong together. */
async function learnPairs(sock: WASocket, pairs: readonly { phone: string; lid: string }[]): Promise<void> {
  if (pairs.length === 0) return
  await sock.signalRepository.lidMapping.storeLIDPNMappings(
    pairs.map(({ phone, lid }) => ({ pn: pnJidOf(phone), lid: lidJidOf(lid) })),
  )
}

/** Pairs of a history: what WhatsApp has said of a number is newer (whatsapp-rust). */
export async function learnNewPairs(sock: WASocket, pairs: readonly { phone: string; lid: string }[]): Promise<void> {
  const phones = pairs.map(({ phone }) => phone)
  const known = await sock.authState.keys.get('lid-mapping', phones)
  await learnPairs(
    sock,
    pairs.filter(({ phone }) => !known[phone]),
  )
}

/** The LID that is known of a number; WhatsApp is not asked. */
export async function knownLid(keys: SignalKeyStore, phone: string): Promise<string | null> {
  const lid = (await keys.get('lid-mapping', [phone]))[phone]
  return typeof lid === 'string' && lid !== '' ? lid : null
}

/**
 * WhatsApp addresses people by number or by a hidden id (LID); everybody else in this program knows
 * only numbers.
 */
export async function phoneNumberOf(sock: WASocket, key: WAMessageKey): Promise<string | undefined> {
  const jids = [key.remoteJid ?? '', key.remoteJidAlt ?? '']
  const lid = jids.find((jid) => isLidUser(jid))
  const jid = jids.find((one) => isPnUser(one)) ?? (lid && (await sock.signalRepository.lidMapping.getPNForLID(lid)))
  return userOf(jid ?? undefined) || undefined
}

/**
 * The address of a number in a form; in the other one where WhatsApp names no LID. `jid` as
 * WhatsApp gave it.
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
