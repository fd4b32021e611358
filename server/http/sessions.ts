import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { SessionView } from '../contract/access.ts'
import { ApiError } from '../contract/errors.ts'
import { type Clock, DAY, HOUR, isoTime, MINUTE } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { OwnerSessionRow, OwnerSessionStore } from '../store/index.ts'

const CODE_LIVES = 10 * MINUTE
const MOST_CODES = 20
const IDLE = 30 * DAY
// The time of the last use is written now and then, not with each call.
const USED_EVERY = HOUR
const MOST_SESSIONS = 50
const LONGEST_BROWSER = 200

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
const secret = (): string => randomBytes(32).toString('base64url')

/** The browser's two secrets of a login. Only their hashes are stored here. */
export interface OpenedSession {
  id: string
  /** Kept by the browser, out of reach of scripts. The browser sends it to all ports of this PC. */
  cookie: string
  /** Kept by the pages of this port, and sent with every call. */
  pageToken: string
}

export type OwnerSessions = ReturnType<typeof createOwnerSessions>

/** Manages browsers that are logged in as the owner, known by cookie and page token together. */
export function createOwnerSessions(store: OwnerSessionStore, newId: () => string, clock: Clock, logger: Logger) {
  /** Hashes of one-time codes, with the time when each expires. */
  const codes = new Map<string, number>()
  const watchers = new Map<string, Set<() => void>>()

  const endOf = ({ lastUsedAt }: OwnerSessionRow): number => lastUsedAt + IDLE
  const isLive = (session: OwnerSessionRow): boolean => endOf(session) > clock.now()

  async function remove(id: string): Promise<boolean> {
    const removed = await store.remove(id)
    for (const end of watchers.get(id) ?? []) end()
    watchers.delete(id)
    return removed
  }

  /** Makes room for one more session: removes expired ones and the least recently used. */
  async function makeRoom(): Promise<void> {
    const byUse = store.list().toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)
    for (const [place, session] of byUse.entries())
      if (place >= MOST_SESSIONS - 1 || !isLive(session)) await remove(session.id)
  }

  function noteUse({ id, lastUsedAt }: OwnerSessionRow): void {
    const now = clock.now()
    if (now - lastUsedAt < USED_EVERY) return
    store.markUsed(id, now).catch((error: unknown) => logger.warn({ err: error }, 'the use of a window was not noted'))
  }

  return {
    /** Issues a code that opens one session within 10 minutes. Codes end with the process. */
    issueCode(): { code: string; expiresAt: number } {
      const code = randomBytes(16).toString('base64url')
      const expiresAt = clock.now() + CODE_LIVES
      codes.set(sha256(code).toString('hex'), expiresAt)
      for (const oldest of codes.keys()) if (codes.size > MOST_CODES) codes.delete(oldest)
      return { code, expiresAt }
    },
    /** Opens a session for a code. Undefined: the code was used, expired or never issued. */
    async open(code: string, from: { address: string; browser: string | null }): Promise<OpenedSession | undefined> {
      const name = sha256(code).toString('hex')
      const until = codes.get(name)
      codes.delete(name)
      if (until === undefined || until <= clock.now()) return undefined
      const opened = { id: newId(), cookie: secret(), pageToken: secret() }
      try {
        await makeRoom()
        await store.add({
          id: opened.id,
          cookieHash: sha256(opened.cookie),
          pageHash: sha256(opened.pageToken),
          address: from.address,
          browser: from.browser?.slice(0, LONGEST_BROWSER) ?? null,
          createdAt: clock.now(),
          lastUsedAt: clock.now(),
        })
      } catch (error) {
        // Nobody is logged in, so the link stays valid for another try.
        codes.set(name, until)
        throw error
      }
      return opened
    },
    /** Returns the id of the session that both secrets belong to. */
    find(cookie: string, pageToken: string): string | undefined {
      const cookieHash = sha256(cookie)
      const session = store.list().find((each) => each.cookieHash.equals(cookieHash))
      if (session === undefined || !isLive(session)) return undefined
      if (!timingSafeEqual(session.pageHash, sha256(pageToken))) return undefined
      noteUse(session)
      return session.id
    },
    isOpen: (id: string): boolean => store.list().some((session) => session.id === id && isLive(session)),
    list: (current: string | null): SessionView[] =>
      store
        .list()
        .filter(isLive)
        .map((session) => ({
          id: session.id,
          current: session.id === current,
          address: session.address,
          browser: session.browser,
          created_at: isoTime(session.createdAt),
          last_used_at: isoTime(session.lastUsedAt),
          expires_at: isoTime(endOf(session)),
        })),
    /** @throws ApiError `not_found` */
    async revoke(id: string): Promise<void> {
      if (!(await remove(id))) throw new ApiError('not_found', 'There is no such session.')
    },
    /** Calls `end` when a session is revoked. Returns a function that stops this. */
    whenRevoked(id: string, end: () => void): () => void {
      const ends = watchers.get(id) ?? new Set()
      watchers.set(id, ends.add(end))
      return () => {
        ends.delete(end)
        if (ends.size === 0) watchers.delete(id)
      }
    },
  }
}
