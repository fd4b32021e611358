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
import type { Form } from './addressing.ts'
import type { LookUps } from './look-ups.ts'

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
export async function learnPairs(sock: WASocket, pairs: readonly { phone: string; lid: string }[]): Promise<void> {
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
