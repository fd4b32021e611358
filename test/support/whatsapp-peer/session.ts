import type { BinaryNode } from 'baileys'
import { isStrict } from './account.ts'
import { parseJid } from './address.ts'
import { failure, waitsFor } from './closing.ts'
import type { Companion } from './directory.ts'
import type { Hello, Link } from './link.ts'
import { buildOf, type LoginDeps, logIn } from './login.ts'
import type { MediaHost } from './media-host.ts'
import { createMessageRouter, type MessageDeps } from './messages.ts'
import { beginPairing, type Pairing } from './pairing-code.ts'
import { unlink, type Waiting } from './phone.ts'
import { sendChats, shareSettingsKey } from './phone-history.ts'
import { answerQuery, isQuery, queryKind } from './queries.ts'
import { beginRegistration, type Registration } from './registration.ts'
import { child, queryError, result, stanza } from './stanza.ts'
import { describeLookUp } from './usync.ts'

export interface SessionDeps extends MessageDeps, LoginDeps {
  waiting: Waiting
  media: MediaHost
  mediaHosts(): readonly string[]
  /** QR codes that a client can show before it gives up. */
  refCount: number
  /** Tells a new client that few keys are left, so that it uploads fewer. */
  fewKeys: boolean
  now(): number
}

/**
 * Returns true for a `presence` that says "unavailable" and has a name, as both clients write it.
 */
const isOffline = ({ attrs }: BinaryNode): boolean => attrs.type === 'unavailable' && Boolean(attrs.name)

/** Creates the server's part of each connection, for clients to be linked and linked ones. */
export function createSessions(deps: SessionDeps) {
  const { directory, faults, groups, journal, media, receipts, versions, waiting, now } = deps
  const registering = new Map<Link, Registration>()
  const pairings = new WeakMap<Link, Pairing>()
  const loggedIn = new Map<Link, Companion>()
  const routeMessage = createMessageRouter(deps)

  function onHello(link: Link, hello: Hello) {
    if (faults.internal.isSilent('login')) return
    if (hello.payload.devicePairingData) {
      if (!versions.internal.takes(buildOf(hello))) return link.end(failure({ reason: '405' }))
      if (faults.welcomeBeforePairing) link.send(stanza('success', { t: String(Math.floor(now() / 1000)) }))
      const registration = beginRegistration(link, hello, deps.refCount, now())
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
      const { account } = directory.contact(parseJid(jid)?.user ?? '')
      const rules = { at: now(), refusal: faults.refusePairingCode, isStrict: isStrict(account) }
      const pairing = beginPairing(registration, query, rules)
      if (!pairing) return
      pairings.set(link, pairing)
      waiting.pairings.arrive(parseJid(jid)?.user ?? '', pairing)
    } else if (stage === 'companion_finish') pairings.get(link)?.finish.resolve(query)
    else if (query.attrs.xmlns === 'w:p') link.send(result(query))
    else if (registration.ceremony !== undefined) registration.ceremony.answer(query)
    else link.send(queryError(query, 400, 'bad-request'))
  }

  function onQuery(link: Link, companion: Companion, query: BinaryNode) {
    const kind = queryKind(query)
    journal.countQuery(kind)
    if (kind === 'usync usync') journal.addLookUp(describeLookUp(query, companion, now()))
    if (faults.internal.isSilent(kind)) return
    const refusal = faults.internal.refusalOf(kind)
    if (refusal !== undefined) return link.send(queryError(query, refusal, 'refused'))
    const answer = answerQuery({
      ...{ query, companion, directory, groups, now },
      fewKeys: deps.fewKeys,
      mediaHosts: deps.mediaHosts(),
      droppedQueries: faults.internal.dropped,
      lookUpFault: faults.lookUps,
      unlink: (leaving) => unlink(leaving, now()),
    })
    if (faults.internal.isLost(kind)) return
    if (!answer) journal.unanswered.push(kind)
    link.send(answer ?? queryError(query, 501, 'feature-not-implemented'))
    // After this query the client is ready for waiting stanzas.
    if (kind === 'passive active') {
      companion.outbox.connect(link, { inPortions: isStrict(companion.contact.account) })
      // If the client disconnects meanwhile, it gets these stanzas at its next login.
      if (companion.isNew) void sendChats(companion, { host: media, now: now() })
      if (companion.isNew) void shareSettingsKey(companion, now())
      companion.isNew = false
    }
  }

  function onStanza(link: Link, node: BinaryNode) {
    if (node.tag === 'presence' && !isOffline(node)) journal.online.push(node)
    const registration = registering.get(link)
    const companion = loggedIn.get(link)
    if (registration) {
      if (isQuery(node)) onPairingQuery(link, registration, node)
      else if (node.tag === 'ack') registration.confirmed(String(node.attrs.id))
      return
    }
    if (!companion) return
    journal.addStanza(node)
    const late = isStrict(companion.contact.account) ? companion.outbox.overdue(now()) : undefined
    if (late !== undefined) return link.end(waitsFor(late))
    if (isQuery(node)) onQuery(link, companion, node)
    else if (node.tag === 'message') routeMessage(link, companion, node)
    else if (node.tag === 'ack' || node.tag === 'receipt') {
      if (!companion.outbox.confirm(node)) journal.needless.push(node)
      if (node.attrs.type === 'retry') void receipts.onRetry(companion, node)
    } else if (node.tag === 'ib') companion.outbox.grant(node)
  }

  function onClose(link: Link) {
    const registration = registering.get(link)
    for (const ref of registration?.refs ?? []) waiting.registrations.delete(ref)
    registration?.gone()
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
