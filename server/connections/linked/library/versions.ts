import { type BinaryNode, DEFAULT_CONNECTION_CONFIG, type WAVersion } from 'baileys'
import { type Dispatcher, request } from 'undici'
import { z } from 'zod'
import { type Clock, DAY, HOUR, SECOND } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import { createGuardedDispatcher, withFraming } from '../../../lib/net-guard.ts'
import { sleep } from '../../../lib/sleep.ts'
import type { MetaStore } from '../../../store/index.ts'
import { childOf } from './stanzas.ts'

const version = z.tuple([z.number(), z.number(), z.number()])
const dated = z.object({ version, at: z.number() }).nullable()
const stored = z.object({
  good: version.nullable(),
  named: version.nullable().default(null),
  readAt: z.number().default(0),
  expires: dated,
  refused: dated,
})

/** How long an owner who waits for a code waits for the current version. */
const PATIENCE = 4 * SECOND

export type VersionsInUse = ReturnType<typeof createVersionsInUse>

/**
 * Manages the version of WhatsApp's protocol that all senders use. The version survives restarts
 * (docs/decisions/0018-connections.md).
 * @param url address that names the current version; undefined: never ask
 * @param stop the version is read daily until this is aborted; undefined: only when needed
 */
export function createVersionsInUse(
  meta: MetaStore,
  url: string | undefined,
  clock: Clock,
  logger: Logger,
  stop?: AbortSignal,
) {
  const bundled = DEFAULT_CONNECTION_CONFIG.version
  let versions = read(meta.get('whatsapp_versions'))
  /** Version that was read and will be tried at the next connection. */
  let candidate: WAVersion | undefined

  function keep(next: Versions): void {
    if (next === versions) return
    versions = next
    meta
      .save('whatsapp_versions', JSON.stringify(next))
      .catch((err: unknown) => logger.error({ err }, 'the version of WhatsApp could not be stored'))
  }

  async function fetched(): Promise<WAVersion | undefined> {
    if (url === undefined) return undefined
    try {
      const named = await fetchVersion(url)
      keep({ ...versions, named, readAt: clock.now() })
      return named
    } catch (err) {
      logger.warn({ err }, 'the current version of WhatsApp could not be read')
      return undefined
    }
  }

  /**
   * Returns the milliseconds since the version was read. A day if that time is in the future,
   * because the clock was set back.
   */
  function sinceRead(): number {
    const age = clock.now() - versions.readAt
    return age < 0 ? DAY : age
  }

  /**
   * Reads the version daily, so that a fresh one is stored if the owner links a number while the
   * page cannot be read.
   */
  async function readDaily(signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(clock, Math.max(0, DAY - sinceRead()), signal)
      if ((await fetched()) === undefined) await sleep(clock, HOUR, signal)
    }
  }
  if (url !== undefined && stop !== undefined) readDaily(stop).catch(() => undefined)

  return {
    /**
     * True if WhatsApp named its current version within a day, or if there is no address to ask.
     */
    isKnown: (): boolean => url === undefined || sinceRead() < DAY,
    /** Returns the version for the next connection. */
    current: (): WAVersion => candidate ?? versionToUse(versions, bundled),
    /** Resolves with the version for a new link, after a short wait for WhatsApp's current one. */
    async forLink(): Promise<WAVersion> {
      const late = Promise.withResolvers<undefined>()
      const cancel = clock.after(PATIENCE, () => late.resolve(undefined))
      await Promise.race([fetched(), late.promise])
      cancel()
      return versionToLink(versions, bundled, clock.now())
    },
    loggedIn(used: WAVersion): void {
      if (candidate !== undefined && !isNewer(candidate, used)) candidate = undefined
      keep(loggedIn(versions, used))
    },
    /**
     * Records that WhatsApp refused `used`. Resolves with true if there is another version to try
     * at once, false if there is none, undefined if the current version could not be read.
     */
    async outdated(used: WAVersion): Promise<boolean | undefined> {
      const found = await fetched()
      // Read only after the wait, because other senders may have logged in meanwhile.
      const before = versions.refused
      const result = afterOutdated(versions, { used, fetched: found, now: clock.now() })
      keep(result.versions)
      candidate = 'version' in result.next ? result.next.version : undefined
      if (candidate !== undefined) return true
      // If `used` was read ahead of time, the usual version may still be accepted.
      const usual = versionToUse(versions, bundled)
      if (!isSameVersion(usual, used) && (before === null || !isSameVersion(before.version, usual))) return true
      return url !== undefined && found === undefined ? undefined : false
    },
    /**
     * Records when WhatsApp stops accepting `used`, or that WhatsApp withdrew this. Reads the
     * current version if the end is near.
     */
    async announced(node: BinaryNode, used: WAVersion): Promise<void> {
      keep(announced(versions, node, used))
      if (!isExpiring(versions, used, clock.now())) return
      logger.warn('WhatsApp will soon stop taking this version of its protocol')
      candidate = await fetched()
    },
  }
}

function read(text: string | undefined): Versions {
  if (text === undefined) return NO_VERSIONS
  try {
    return stored.parse(JSON.parse(text))
  } catch {
    return NO_VERSIONS
  }
}

/**
 * WhatsApp serves another page without these headers, and one day also to old browsers. whatsmeow
 * (933deb5f) asks as Chrome 148.
 */
const HEADERS = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-fetch-user': '?1',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36',
}
/** In bytes. The script has about 100 KB. */
const LONGEST_PAGE = 4 * 1024 * 1024
const FETCH_WITHIN = 15 * SECOND

/** Revisions have had ten digits since 2023. A number much shorter or longer is something else. */
const REVISION = /client_revision\\?"?\s*:\s*(\d{9,11})\b/

/**
 * Returns the version that a page names; undefined if it names none. Only the revision in
 * `2.3000.<revision>` changes (docs/decisions/0018-connections.md).
 */
export function readRevision(page: string): WAVersion | undefined {
  const revision = REVISION.exec(page)?.[1]
  return revision === undefined ? undefined : [2, 3000, Number(revision)]
}

/**
 * Reads WhatsApp's current version.
 * @throws if it cannot be read; the message is for the log
 */
export async function fetchVersion(url: string): Promise<WAVersion> {
  // No address is forbidden, because `url` comes from the program's own settings.
  const dispatcher = createGuardedDispatcher({ policy: () => null, mostBytes: withFraming(LONGEST_PAGE) })
  try {
    return await fetchWith(dispatcher, url)
  } finally {
    await dispatcher.destroy()
  }
}

async function fetchWith(dispatcher: Dispatcher, url: string): Promise<WAVersion> {
  const signal = AbortSignal.timeout(FETCH_WITHIN)
  const { statusCode, body } = await request(url, { dispatcher, headers: HEADERS, signal })
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > LONGEST_PAGE) break
    pieces.push(piece)
  }
  if (statusCode !== 200) throw new Error(`the current version of WhatsApp could not be read: HTTP ${statusCode}`)
  const version = readRevision(Buffer.concat(pieces).toString())
  if (version === undefined)
    throw new Error('the current version of WhatsApp could not be read: no revision in the page')
  return version
}

const isSameVersion = (one: WAVersion, another: WAVersion): boolean =>
  one.every((part, index) => part === another[index])
const isNewer = (one: WAVersion, another: WAVersion): boolean => one[2] > another[2]

/** The stored versions, shared by all senders. */
interface Versions {
  /** The last version that logged in; null: none yet. */
  good: WAVersion | null
  /** The last version that WhatsApp named as current; null: none was read yet. */
  named: WAVersion | null
  /** When `named` was read, in milliseconds since 1970. */
  readAt: number
  /**
   * When WhatsApp stops accepting this version: the earliest announced time, in milliseconds since
   * 1970.
   */
  expires: { version: WAVersion; at: number } | null
  /**
   * The last version that WhatsApp refused. For a day, another attempt with it would prove nothing.
   */
  refused: { version: WAVersion; at: number } | null
}

export const NO_VERSIONS: Versions = { good: null, named: null, readAt: 0, expires: null, refused: null }

/**
 * Returns the version to connect with: the last that logged in, unless this program contains a
 * newer one.
 */
export const versionToUse = (versions: Versions, bundled: WAVersion): WAVersion =>
  versions.good !== null && isNewer(versions.good, bundled) ? versions.good : bundled

/**
 * Returns the version to link with: the newest known one that was not refused within a day, because
 * phones do not link old versions.
 */
function versionToLink({ good, named, refused }: Versions, bundled: WAVersion, now: number): WAVersion {
  const known = [good, named].filter((one) => one !== null)
  return known.reduce((best, one) => {
    const wasRefused = refused !== null && isSameVersion(refused.version, one) && now - refused.at < DAY
    return isNewer(one, best) && !wasRefused ? one : best
  }, bundled)
}

/**
 * Returns the versions after a login. The newest good version stays, even if a connection that
 * began earlier logs in later with an older one.
 */
export const loggedIn = (versions: Versions, version: WAVersion): Versions => ({
  ...versions,
  good: versions.good !== null && isNewer(versions.good, version) ? versions.good : version,
  refused: null,
})

/**
 * Decides after WhatsApp refused `used` with 405. `fetched` is the version that WhatsApp names as
 * current. If `fetched` is another version and was not refused within a day, the next connection
 * tries it at once. Otherwise the owner must update Kurir, and the next attempt follows after a
 * day.
 */
export function afterOutdated(
  versions: Versions,
  { used, fetched, now }: { used: WAVersion; fetched: WAVersion | undefined; now: number },
): { versions: Versions; next: { version: WAVersion } | { waitMs: number } } {
  const refused = { version: used, at: now }
  // Otherwise the refused version would be tried first after every restart.
  const good = versions.good !== null && isSameVersion(versions.good, used) ? null : versions.good
  const kept = { ...versions, good, refused }
  const triedBefore =
    versions.refused !== null &&
    fetched !== undefined &&
    isSameVersion(versions.refused.version, fetched) &&
    now - versions.refused.at < DAY
  if (fetched === undefined || isSameVersion(fetched, used) || triedBefore) {
    return { versions: kept, next: { waitMs: DAY } }
  }
  return { versions: kept, next: { version: fetched } }
}

/**
 * Reads `<ib><client_expiration t/></ib>`, in which WhatsApp announces when it stops accepting this
 * version. Without `t`, WhatsApp withdraws the announcement. An unreadable `t` changes nothing.
 */
export function announced(versions: Versions, node: BinaryNode, version: WAVersion): Versions {
  const child = childOf(node, 'client_expiration')
  if (child === undefined) return versions
  const { t } = child.attrs
  if (t === undefined) return { ...versions, expires: null }
  if (!/^\d{1,12}$/.test(t)) return versions
  const at = Number(t) * 1000
  const held = versions.expires
  const isEarlier = held === null || !isSameVersion(held.version, version) || at < held.at
  return isEarlier ? { ...versions, expires: { version, at } } : versions
}

/** How long before a version's announced end Kurir looks for a newer one. */
const BEFORE_EXPIRY = 2 * DAY

/**
 * True if Kurir should read the current version, because WhatsApp will soon refuse the one in use.
 */
export const isExpiring = (versions: Versions, version: WAVersion, now: number): boolean =>
  versions.expires !== null &&
  isSameVersion(versions.expires.version, version) &&
  versions.expires.at - now <= BEFORE_EXPIRY
