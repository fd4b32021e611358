import { setImmediate } from 'node:timers/promises'
import { type BinaryNode, handleIdentityChange, jidNormalizedUser, S_WHATSAPP_NET, type WASocket } from 'baileys'
import type { Logger } from '../../../lib/logger.ts'
import { isExpired, type TokenEntry, timingFrom } from '../account/trust.ts'
import { takeOver } from '../library/library-socket.ts'
import { childOf } from '../library/stanzas.ts'
import { isOfPasskey } from '../passkey/passkey.ts'

/**
 * The library asks once for a hundred of what waited while the number was away; WhatsApp sends no
 * more than it is asked for.
 */
const ASKED_BY_LIBRARY = 100

export function askForTheRest(sock: WASocket, node: BinaryNode, logger: Logger): void {
  const left = Number(childOf(node, 'offline_preview')?.attrs.count ?? 0) - ASKED_BY_LIBRARY
  if (!(left > 0)) return
  sock
    .sendNode({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_batch', attrs: { count: String(left) } }] })
    .catch((err: unknown) => logger.debug({ err }, 'WhatsApp could not be asked for what waits'))
}

/**
 * Confirms that groups have changed. The library asks for all of them, and the line ends if it gets
 * none; they are read at each login (see groups.ts).
 */
export function takeChangesOfGroups(sock: WASocket, logger: Logger): void {
  takeOver<BinaryNode>(sock, 'CB:ib,,dirty', (node, theirs) => {
    const type = childOf(node, 'dirty')?.attrs.type
    if (type !== 'groups' && type !== 'communities') return theirs(node)
    // The library names communities so, too.
    sock
      .cleanDirtyBits('groups')
      .catch((err: unknown) => logger.debug({ err }, 'a change of groups could not be confirmed'))
    return undefined
  })
}

/** Confirms calls. Who rings has written nothing, and the library makes a message of it. */
export function takeCalls(sock: WASocket, logger: Logger): void {
  takeOver<BinaryNode>(sock, 'CB:call', (node) => {
    sock.sendMessageAck(node).catch((err: unknown) => logger.debug({ err }, 'a call could not be confirmed'))
  })
}

/**
 * The library confirms a receipt as soon as it has read it, and WhatsApp then forgets it. Ours goes
 * first, so that a crash in between costs no status.
 * @param take resolves with true where nothing is left for the library to do
 */
export function takeReceiptsFirst(sock: WASocket, take: (node: BinaryNode) => Promise<boolean>, logger: Logger): void {
  takeOver<BinaryNode>(sock, 'CB:receipt', (node, theirs) =>
    take(node).then(
      (isDone) => (isDone ? undefined : theirs(node)),
      (err: unknown) => logger.error({ err }, 'a receipt could not be recorded; WhatsApp will repeat it'),
    ),
  )
}

/** Stanzas that the library answers, or that want no answer. */
const HEARD_OF: ReadonlySet<string> = new Set([
  ...['message', 'receipt', 'notification', 'call', 'ack', 'iq', 'ib', 'presence', 'chatstate'],
  ...['success', 'failure', 'stream:error', 'stream:features', 'xmlstreamend'],
])

/**
 * Confirms what the library does not know, such as the `status` of July 2026: WhatsApp cuts a line
 * that leaves one without an answer every 50 minutes, and brings it again in front of all else
 * (whatsmeow a2381054, whatsapp-rust PR 1101).
 */
export function confirmUnheardOf(sock: WASocket, frame: BinaryNode | Uint8Array, logger: Logger): void {
  if (frame instanceof Uint8Array || HEARD_OF.has(frame.tag)) return
  const { id, from } = frame.attrs
  if (id === undefined || from === undefined) return
  sock.sendMessageAck(frame).catch((err: unknown) => logger.debug({ err }, 'a stanza could not be confirmed'))
}

/** WhatsApp's: below so many one-time keys on its server a client uploads more. */
const FEW_KEYS = 5

/**
 * Takes over the notifications that would make the library ask WhatsApp something in its locks:
 * whatever comes after would wait for an answer that may never come. They are confirmed at once,
 * and asked about beside all else, one after the other.
 */
export function takeNotifications(sock: WASocket, logger: Logger): void {
  const { creds, keys } = sock.authState
  const asking = new Set<string>()
  let questions: Promise<unknown> = Promise.resolve()

  /** A question without an answer is asked at the next login, or when a message cannot be read. */
  function ask(name: string, question: () => Promise<unknown>): void {
    if (asking.has(name)) return
    asking.add(name)
    questions = questions
      .then(question)
      .catch((err: unknown) => logger.debug({ err }, 'a notification could not be followed'))
      .then(() => asking.delete(name))
      .then(() => setImmediate())
  }

  /** A contact with new keys gets the token of before once more (whatsmeow, whatsapp-rust). */
  async function issueTokenAgain(from: string): Promise<void> {
    const jid = jidNormalizedUser(from)
    const lid = jid.endsWith('@lid') ? jid : ((await sock.signalRepository.lidMapping.getLIDForPN(jid)) ?? jid)
    const place = jidNormalizedUser(lid)
    const at = ((await keys.get('tctoken', [place]))[place] as TokenEntry | undefined)?.senderTimestamp
    if (at === undefined || isExpired(at, Date.now() / 1000, timingFrom(new Map()))) return
    await sock.issuePrivacyTokens([sock.serverProps.lidTrustedTokenIssueToLid ? place : jid], at)
  }

  const changeIdentity = (node: BinaryNode): Promise<unknown> =>
    handleIdentityChange(node, {
      meId: creds.me?.id,
      meLid: creds.me?.lid,
      validateSession: sock.signalRepository.validateSession,
      assertSessions: sock.assertSessions,
      // What is asked already is not asked again.
      debounceCache: { get: () => undefined, set: () => true } as never,
      logger: sock.logger,
      onBeforeSessionRefresh: (from: string) =>
        void issueTokenAgain(from).catch((err: unknown) => logger.debug({ err }, 'a token could not be issued again')),
    })

  function follow(node: BinaryNode): void {
    const { from = '' } = node.attrs
    const count = childOf(node, 'count')?.attrs.value
    if (from !== S_WHATSAPP_NET) ask(from, () => changeIdentity(node))
    else if (count !== undefined && Number(count) < FEW_KEYS) ask('count', () => sock.uploadPreKeys())
  }

  takeOver<BinaryNode>(sock, 'CB:notification', (node, theirs) => {
    const { type } = node.attrs
    if (isOfPasskey(node)) return undefined
    // Nobody here reads the phone's settings, and the library would fetch them without a bound.
    // What is of use of groups is read before.
    if (type !== 'server_sync' && type !== 'w:gp2' && type !== 'encrypt') return theirs(node)
    sock.sendMessageAck(node).catch((err: unknown) => logger.debug({ err }, 'a change could not be confirmed'))
    if (type === 'encrypt') follow(node)
    return undefined
  })
}
