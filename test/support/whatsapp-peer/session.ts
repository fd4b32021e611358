import type { BinaryNode } from 'baileys'
import { parseJid } from './address.ts'
import type { Companion, Directory } from './directory.ts'
import type { Faults } from './faults.ts'
import type { Journal } from './journal.ts'
import type { Hello, Link } from './link.ts'
import { logIn } from './login.ts'
import { createMessageRouter, type MessageDeps } from './messages.ts'
import { beginPairing, type Pairing } from './pairing-code.ts'
import { unlink, type Waiting } from './phone.ts'
import { answerQuery, isQuery, queryKind } from './queries.ts'
import { beginRegistration, type Registration } from './registration.ts'
import { child, queryError } from './stanza.ts'

export interface SessionDeps extends MessageDeps {
  directory: Directory
  faults: Faults
  journal: Journal
  waiting: Waiting
  mediaAddress: string
  /** How many QR codes a client can show before it gives up. */
  refCount: number
}

/** What the server makes of each connection: a client to be linked, or a linked one. */
export function createSessions(deps: SessionDeps) {
  const { directory, faults, journal, waiting } = deps
  const registering = new Map<Link, Registration>()
  const pairings = new WeakMap<Link, Pairing>()
  const loggedIn = new Map<Link, Companion>()
  const routeMessage = createMessageRouter(deps)

  function onHello(link: Link, hello: Hello) {
    if (faults.internal.isSilent('login')) return
    if (hello.payload.devicePairingData) {
      const registration = beginRegistration(link, hello, deps.refCount)
      registering.set(link, registration)
      for (const ref of registration.refs) waiting.registrations.set(ref, registration)
      return
    }
    const companion = logIn(link, hello, deps)
    if (companion) loggedIn.set(link, companion)
  }

  function onPairingQuery(link: Link, registration: Registration, query: BinaryNode) {
    const { jid, stage } = child(query, 'link_code_companion_reg')?.attrs ?? {}
    if (stage === 'companion_hello') {
      const pairing = beginPairing(registration, query)
      pairings.set(link, pairing)
      waiting.pairings.arrive(parseJid(jid)?.user ?? '', pairing)
    } else if (stage === 'companion_finish') pairings.get(link)?.finish.resolve(query)
    else link.send(queryError(query, 400, 'bad-request'))
  }

  function onQuery(link: Link, companion: Companion, query: BinaryNode) {
    const kind = queryKind(query)
    journal.countQuery(kind)
    if (faults.internal.isSilent(kind)) return
    const answer = answerQuery({ query, companion, directory, mediaAddress: deps.mediaAddress, unlink })
    if (!answer) journal.unanswered.push(kind)
    link.send(answer ?? queryError(query, 501, 'feature-not-implemented'))
    // From here on the client is ready for what waited for it.
    if (kind === 'passive active') companion.outbox.connect(link)
  }

  function onStanza(link: Link, node: BinaryNode) {
    const registration = registering.get(link)
    const companion = loggedIn.get(link)
    if (registration && isQuery(node)) return onPairingQuery(link, registration, node)
    if (!companion) return
    if (isQuery(node)) onQuery(link, companion, node)
    else if (node.tag === 'message') routeMessage(link, companion, node)
    else if (node.tag === 'ack' || node.tag === 'receipt') companion.outbox.confirm(node)
  }

  function onClose(link: Link) {
    for (const ref of registering.get(link)?.refs ?? []) waiting.registrations.delete(ref)
    registering.delete(link)
    const companion = loggedIn.get(link)
    loggedIn.delete(link)
    if (companion?.link === link) {
      companion.link = undefined
      companion.outbox.disconnect()
    }
  }

  return { onHello, onStanza, onClose }
}
