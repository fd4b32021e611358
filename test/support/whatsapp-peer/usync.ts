import type { BinaryNode } from 'baileys'
import { isStrict } from './account.ts'
import { parseJid } from './address.ts'
import { type Companion, type Contact, type Directory, deviceIds, jidOf } from './directory.ts'
import type { LookUpFault } from './faults.ts'
import type { LookUp } from './journal.ts'
import type { QueryContext } from './queries.ts'
import { attribute, child, children, result, stanza } from './stanza.ts'

interface Asking {
  companion: Companion
  directory: Directory
  /** Protocols by name, with the attributes of the query. */
  protocols: Map<string, BinaryNode>
  fault: LookUpFault | undefined
}

const KEY_INDEX_OF_PHONE = '0'

function deviceNodes(contact: Contact): BinaryNode[] {
  return deviceIds(contact).map((id) =>
    stanza('device', {
      id: String(id),
      'key-index': id === 0 ? KEY_INDEX_OF_PHONE : String(id),
      is_hosted: contact.devices.get(id)?.hosted ? 'true' : undefined,
    }),
  )
}

/**
 * Returns a person's devices as the account may see them. A migrated account that asks by phone
 * number gets none, except its own. For its own by LID, `ownDevicesByLid` decides.
 */
function devicesFor(contact: Contact | undefined, isLid: boolean, { companion }: Asking): BinaryNode[] {
  if (contact?.onWhatsApp !== true) return []
  const { account } = companion.contact
  const isOwn = contact === companion.contact
  if (isStrict(account) && isOwn && isLid && account.ownDevicesByLid === 'empty') return []
  if (account.kind === 'migrated' && !isOwn && !isLid) return []
  return deviceNodes(contact)
}

function userNode(asked: BinaryNode, asking: Asking): BinaryNode {
  const { protocols, directory, fault } = asking
  const phone = child(asked, 'contact')?.content
  const number = phone === undefined ? undefined : String(phone).replace('+', '')
  const given = attribute(asked, 'jid') ?? `${number}@s.whatsapp.net`
  const contact = directory.find(given)?.contact
  const known = contact?.onWhatsApp === true
  const isLid = parseJid(given)?.isLid === true

  const byLid = attribute(protocols.get('contact') ?? asked, 'addressing_mode') === 'lid'
  const addresses =
    known && (byLid || fault === 'lid only' || fault === 'no jid')
      ? {
          jid: fault === 'no jid' ? undefined : jidOf(contact, true),
          pn_jid: fault === 'lid only' ? undefined : jidOf(contact, false),
        }
      : { jid: given }
  const answers: BinaryNode[] = []
  if (protocols.has('contact')) {
    answers.push(stanza('contact', { type: fault === 'no type' ? undefined : known ? 'in' : 'out' }))
  }
  if (protocols.has('devices')) {
    answers.push(stanza('devices', {}, [stanza('device-list', {}, devicesFor(contact, isLid, asking))]))
  }
  // The client stores the queried address with this LID, so a query by LID gets no LID.
  if (protocols.has('lid') && known && !isLid) answers.push(stanza('lid', { val: jidOf(contact, true) }))
  return stanza('user', addresses, failsAt('user', fault) ? answers.map((answer) => failed(answer, fault)) : answers)
}

type LookUpError = Exclude<LookUpFault, string>
const failsAt = (at: LookUpError['at'], fault: LookUpFault | undefined): fault is LookUpError =>
  typeof fault === 'object' && fault.at === at

/** Replaces the failing protocol's answer by an error; other answers stay. */
function failed(answer: BinaryNode, { of, error, seconds }: LookUpError): BinaryNode {
  const attributes = {
    code: String(error),
    text: 'rate-overlimit',
    backoff: seconds === undefined ? undefined : String(seconds),
  }
  return answer.tag === of ? stanza(of, {}, [stanza('error', attributes)]) : answer
}

/** Describes a look-up for the journal. */
export function describeLookUp(query: BinaryNode, companion: Companion, at: number): LookUp {
  const usync = child(query, 'usync')
  const users = children(child(usync, 'list')).map((user) => {
    const phone = child(user, 'contact')?.content
    return attribute(user, 'jid') ?? String(phone ?? '')
  })
  return {
    at,
    account: companion.contact.number,
    context: usync?.attrs.context ?? '',
    protocols: children(child(usync, 'query')).map(({ tag }) => tag),
    users,
  }
}

/**
 * Answers a look-up of numbers, LIDs or devices. If a protocol fails as a whole, `result` has the
 * error and no user is listed.
 */
export function answerUsync({ query, companion, directory, lookUpFault: fault }: QueryContext): BinaryNode {
  const usync = child(query, 'usync')
  const protocols = new Map(children(child(usync, 'query')).map((node) => [node.tag, node]))
  if (failsAt('result', fault) && protocols.has(fault.of)) {
    const states = [...protocols.keys()].map((tag) => failed(stanza(tag), fault))
    return result(query, [stanza('usync', {}, [stanza('result', {}, states), stanza('list', {}, [])])])
  }
  const asked = fault === 'nobody' ? [] : children(child(usync, 'list'))
  const users = asked.map((user) => userNode(user, { companion, directory, protocols, fault }))
  return result(query, [stanza('usync', {}, [stanza('list', {}, users)])])
}
