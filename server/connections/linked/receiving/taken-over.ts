import { setImmediate } from 'node:timers/promises'
import { type BinaryNode, handleIdentityChange, jidNormalizedUser, S_WHATSAPP_NET, type WASocket } from 'baileys'
import type { Logger } from '../../../lib/logger.ts'
import { isExpired, type TokenEntry, timingFrom } from '../account/trust.ts'
import { takeOver } from '../library/library-socket.ts'
import { childOf } from '../library/stanzas.ts'
import { isOfPasskey } from '../passkey/passkey.ts'

/**
 * Waiting stanzas that the library asks for, once, after the number was away. WhatsApp sends no
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
 * Confirms notices that groups have changed. The library would ask for all groups, and the
 * connection would end if it got no answer. Kurir reads the groups at each login (see groups.ts).
 */
export function takeChangesOfGroups(sock: WASocket, logger: Logger): void {
  takeOver<BinaryNode>(sock, 'CB:ib,,dirty', (node, theirs) => {
    const type = childOf(node, 'dirty')?.attrs.type
    if (type !== 'groups' && type !== 'communities') return theirs(node)
    // The library, too, confirms communities under the name `groups`.
    sock
      .cleanDirtyBits('groups')
      .catch((err: unknown) => logger.debug({ err }, 'a change of groups could not be confirmed'))
    return undefined
  })
}

/** Confirms calls and hides them from the library, which would make a message of a call. */
export function takeCalls(sock: WASocket, logger: Logger): void {
  takeOver<BinaryNode>(sock, 'CB:call', (node) => {
    sock.sendMessageAck(node).catch((err: unknown) => logger.debug({ err }, 'a call could not be confirmed'))
  })
}

/**
 * Lets `take` record a receipt before the library sees it. The library confirms a receipt as soon
 * as it has read it, and WhatsApp then forgets the receipt, so a crash in between would lose a
 * status.
 * @param take resolves with true if nothing is left for the library to do
 */
export function takeReceiptsFirst(sock: WASocket, take: (node: BinaryNode) => Promise<boolean>, logger: Logger): void {
  takeOver<BinaryNode>(sock, 'CB:receipt', (node, theirs) =>
    take(node).then(
      (isDone) => (isDone ? undefined : theirs(node)),
      (err: unknown) => logger.error({ err }, 'a receipt could not be recorded; WhatsApp will repeat it'),
    ),
  )
}

/** Tags of stanzas that the library answers, or that need no answer. */
const HEARD_OF: ReadonlySet<string> = new Set([
  ...['message', 'receipt', 'notification', 'call', 'ack', 'iq', 'ib', 'presence', 'chatstate'],
  ...['success', 'failure', 'stream:error', 'stream:features', 'xmlstreamend'],
])

/**
 * Confirms stanzas that the library does not know, such as the `status` of July 2026. If one stays
 * without an answer, WhatsApp ends the connection every 50 minutes and delivers the stanza again
 * before everything else (whatsmeow a2381054, whatsapp-rust PR 1101).
 */
export function confirmUnheardOf(sock: WASocket, frame: BinaryNode | Uint8Array, logger: Logger): void {
  if (frame instanceof Uint8Array || HEARD_OF.has(frame.tag)) return
  const { id, from } = frame.attrs
  if (id === undefined || from === undefined) return
  sock.sendMessageAck(frame).catch((err: unknown) => logger.debug({ err }, 'a stanza could not be confirmed'))
}

/** A client uploads one-time keys if WhatsApp's server has fewer than this. WhatsApp's number. */
const FEW_KEYS = 5

/**
 * Takes over the notifications for which the library would ask WhatsApp a question while it holds
 * its locks: everything that comes later would wait for an answer that may never come. Confirms
 * these notifications at once, and asks the questions one after the other, beside other work.
 */
export function takeNotifications(sock: WASocket, logger: Logger): void {
  const { creds, keys } = sock.authState
  const asking = new Set<string>()
  let questions: Promise<unknown> = Promise.resolve()

  /**
   * Asks a question after the earlier ones. If no answer comes, it is asked again at the next
   * login, or when a message cannot be read.
   */
  function ask(name: string, question: () => Promise<unknown>): void {
    if (asking.has(name)) return
    asking.add(name)
    questions = questions
      .then(question)
      .catch((err: unknown) => logger.debug({ err }, 'a notification could not be followed'))
      .then(() => asking.delete(name))
      .then(() => setImmediate())
  }

  /** Issues the earlier token again to a contact with new keys (whatsmeow, whatsapp-rust). */
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
      // No debouncing here: `asking` already prevents repeated questions.
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
    // The library would fetch the phone's settings without a limit; Kurir reads its only one itself
    // (salt-sync.ts). Changes of groups were already read by `onStanza.notification`.
    if (type !== 'server_sync' && type !== 'w:gp2' && type !== 'encrypt') return theirs(node)
    sock.sendMessageAck(node).catch((err: unknown) => logger.debug({ err }, 'a change could not be confirmed'))
    if (type === 'encrypt') follow(node)
    return undefined
  })
}
