import { type proto, unpadRandomMax16, type WASocket, proto as wire } from 'baileys'
import { MINUTE } from '../../../lib/clock.ts'
import { startDeadline } from '../../../lib/sleep.ts'
import { inPortions, oneRunAtATime } from '../../../lib/turns.ts'
import type { ChatFacts } from '../../../store/index.ts'
import { learnNewPairs } from '../account/addressing.ts'
import type { LinkedContext } from '../account/context.ts'
import type { Trust } from '../account/trust.ts'
import type { Note } from '../keys/sealed-keys.ts'
import { HISTORY_PORTION } from '../library/bounds.ts'
import { type HistoryChat, type HistoryItem, readHistory } from './history.ts'
import { type HistoryNotice, openHistoryFile } from './history-file.ts'

const MOST_FAILURES = 5
// Time for reading one chunk, which has a few megabytes. Our own limit.
const LONGEST_MS = 10 * MINUTE

const { INITIAL_BOOTSTRAP, RECENT, FULL } = wire.HistorySync.HistorySyncType
/** Kinds of chunks that hold chats. */
const CHATS: ReadonlySet<unknown> = new Set([INITIAL_BOOTSTRAP, RECENT, FULL])

interface StoredNotice extends HistoryNotice {
  hasChats?: boolean
  failures: number
}

interface Learnt {
  chats: HistoryChat[]
  pairs: Map<string, string>
  salt: Buffer | undefined
  migratedAt: number
}

async function collect(items: AsyncIterable<HistoryItem>): Promise<Learnt> {
  const learnt: Learnt = { chats: [], pairs: new Map(), salt: undefined, migratedAt: 0 }
  for await (const item of items) {
    if (item.kind === 'pair') learnt.pairs.set(item.lid, item.phone)
    else if (item.kind === 'salt') learnt.salt = item.salt
    else if (item.kind === 'migrated') learnt.migratedAt = item.at
    else {
      learnt.chats.push(item)
      if (item.lid !== null && item.phone !== null) learnt.pairs.set(item.lid, item.phone)
    }
  }
  return learnt
}

/**
 * Reads the history that the owner's phone sends, for known contacts, tokens and timers
 * (docs/decisions/0014-contacts.md). The place of a chunk is on disk before WhatsApp gets the
 * notification's receipt, and stays there until the chunk was read.
 * @param onChats called once chats of the phone are known
 */
export function createHistoryReader(context: LinkedContext, trust: Trust, onChats: () => void) {
  const { senderId, store, account, auth, live, dispatcher, clock, logger } = context
  async function apply(sock: WASocket, { chats, pairs, salt, migratedAt }: Learnt): Promise<void> {
    const facts: ChatFacts[] = chats.flatMap(({ phone, lid, lastMessageAt, timer }) => {
      const number = phone ?? (lid === null ? undefined : pairs.get(lid))
      return number === undefined ? [] : [{ phone: number, lastMessageAt, timer }]
    })
    for await (const some of inPortions(facts, HISTORY_PORTION)) await store.contacts.learn(senderId, some)
    for await (const some of inPortions([...pairs], HISTORY_PORTION)) {
      await learnNewPairs(
        sock,
        some.map(([lid, phone]) => ({ lid, phone })),
      )
    }
    const tokens = chats.flatMap(({ lid, token }) => (lid === null || token === null ? [] : [{ lid, token }]))
    for await (const some of inPortions(tokens, HISTORY_PORTION)) await trust.learnTokens(sock, some)
    if (salt !== undefined) await trust.learnSalt(salt)
    account.learnForm({ from: 'history', migratedAt })
  }

  async function read(sock: WASocket, notice: StoredNotice): Promise<void> {
    const { hosts } = await sock.refreshMediaConn()
    const deadline = startDeadline(clock, LONGEST_MS)
    try {
      const file = openHistoryFile(notice, {
        hosts: hosts.map(({ hostname }) => hostname),
        signal: AbortSignal.any([context.stopping, deadline.signal]),
        dispatcher,
      })
      const learnt = await collect(readHistory(file))
      // Reading took time. If another account was linked meanwhile, these are not its chats.
      if (!auth.isHeld(sock.authState.creds)) throw new Error('the link has ended')
      await apply(sock, learnt)
      if (notice.hasChats === true) onChats()
    } finally {
      deadline.cancel()
    }
  }

  async function readAll(): Promise<void> {
    for (const { id, value } of await auth.notes('history-notice')) {
      const sock = live()
      if (sock === undefined) return
      const notice = value as StoredNotice
      try {
        await read(sock, notice)
        await auth.note('history-notice', id, null)
      } catch (err) {
        if (live() !== sock) return
        const failures = notice.failures + 1
        logger.warn({ err, sender: senderId }, 'a part of the chat history could not be read')
        await auth.note('history-notice', id, failures < MOST_FAILURES ? { ...notice, failures } : null)
      }
    }
  }

  const { start, idle } = oneRunAtATime(() =>
    readAll().catch((err: unknown) => logger.error({ err, sender: senderId }, 'the chat history could not be read')),
  )

  return {
    /** Call when the connection opens, or after a chunk's place was stored. */
    start,
    /**
     * Returns the chunk's place, to be stored, if a decrypted message of the phone names a chunk. A
     * small chunk inside the message itself is read at once, because it contains texts and is never
     * stored.
     */
    async keep(padded: Uint8Array, sock: WASocket): Promise<readonly Note[]> {
      const notice = noticeIn(padded)
      if (notice == null) return []
      const { mediaKey, fileEncSha256, directPath, initialHistBootstrapInlinePayload: inline } = notice
      const hasChats = CHATS.has(notice.syncType)
      if (inline?.length) {
        await apply(sock, await collect(readHistory(openHistoryFile(notice, { hosts: [], dispatcher }))))
        if (hasChats) onChats()
        return []
      }
      const value: StoredNotice = {
        mediaKey: mediaKey ?? null,
        fileEncSha256: fileEncSha256 ?? null,
        directPath: directPath ?? null,
        hasChats,
        failures: 0,
      }
      return [{ type: 'history-notice', id: Buffer.from(fileEncSha256 ?? []).toString('hex'), value }]
    },
    /** Resolves when no chunk is being read. */
    idle,
  }
}

function noticeIn(padded: Uint8Array): proto.Message.IHistorySyncNotification | null | undefined {
  try {
    const message = wire.Message.decode(unpadRandomMax16(padded))
    return (message.deviceSentMessage?.message ?? message).protocolMessage?.historySyncNotification
  } catch {
    // The library decodes the message too and reports the error.
    return undefined
  }
}
