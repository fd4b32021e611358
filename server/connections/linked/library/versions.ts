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

/** An owner who waits for a code does not wait longer for a version. */
const PATIENCE = 4 * SECOND

export type VersionsInUse = ReturnType<typeof createVersionsInUse>

/**
 * The version of WhatsApp's protocol that all senders use, kept over restarts
 * (docs/decisions/0018-connections.md).
 * @param url address of the current version; undefined: none
 * @param stop the version is read daily until this is aborted; undefined: only when it is needed
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
  /** Was read, and is tried at the next connection. */
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

  /** Time since the version was read; a day where that is in the future: the clock was set back. */
  function sinceRead(): number {
    const age = clock.now() - versions.readAt
    return age < 0 ? DAY : age
  }

  /** A link may be made on a day on which the page cannot be read. */
  async function readDaily(signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(clock, Math.max(0, DAY - sinceRead()), signal)
      if ((await fetched()) === undefined) await sleep(clock, HOUR, signal)
    }
  }
  if (url !== undefined && stop !== undefined) readDaily(stop).catch(() => undefined)

  return {
    /** True if WhatsApp named its current version within a day, or nobody is to be asked. */
    isKnown: (): boolean => url === undefined || sinceRead() < DAY,
    /** For the next connection. */
    current: (): WAVersion => candidate ?? versionToUse(versions, bundled),
    /** For a new link, after WhatsApp had a moment to name the current one. */
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
     * WhatsApp refused `used`. Resolves with whether there is another to try at once; undefined:
     * nobody can say now.
     */
    async outdated(used: WAVersion): Promise<boolean | undefined> {
      const found = await fetched()
      // Read now: others may have logged in meanwhile.
      const before = versions.refused
      const result = afterOutdated(versions, { used, fetched: found, now: clock.now() })
      keep(result.versions)
      candidate = 'version' in result.next ? result.next.version : undefined
      if (candidate !== undefined) return true
      // The version that was read ahead of time was refused: the one in use may still be taken.
      const usual = versionToUse(versions, bundled)
      if (!isSameVersion(usual, used) && (before === null || !isSameVersion(before.version, usual))) return true
      return url !== undefined && found === undefined ? undefined : false
    },
    /** WhatsApp announces until when it takes `used`, or takes that back. */
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
 * Without these WhatsApp answers with another page, and old browsers one day too; whatsmeow
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
/** The script has some 100 KB. */
const LONGEST_PAGE = 4 * 1024 * 1024
const FETCH_WITHIN = 15 * SECOND

/** Revisions have had ten digits since 2023; anything far from that is something else. */
const REVISION = /client_revision\\?"?\s*:\s*(\d{9,11})\b/

/**
 * The version that a page names, of which only the revision in `2.3000.<revision>` changes
 * (docs/decisions/0018-connections.md); undefined where it names none.
 */
export function readRevision(page: string): WAVersion | undefined {
  const revision = REVISION.exec(page)?.[1]
  return revision === undefined ? undefined : [2, 3000, Number(revision)]
}

/**
 * Asks for the current version.
 * @throws when it cannot be had; the message is for the log
 */
export async function fetchVersion(url: string): Promise<WAVersion> {
  // The address is in the program's own settings.
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

/** Stored versions, for all senders. */
interface Versions {
  /** The last that logged in; null: none yet. */
  good: WAVersion | null
  /** The last that WhatsApp named as current; null: none was read yet. */
  named: WAVersion | null
  /** When that was; milliseconds. */
  readAt: number
  /** When WhatsApp stops taking a build, as it announced: the earliest time, in milliseconds. */
  expires: { version: WAVersion; at: number } | null
  /** A version that was read and refused: another attempt with it proves nothing for a day. */
  refused: { version: WAVersion; at: number } | null
}

export const NO_VERSIONS: Versions = { good: null, named: null, readAt: 0, expires: null, refused: null }

/** The version to connect with: what logged in last, unless this program brings a newer one. */
export const versionToUse = (versions: Versions, bundled: WAVersion): WAVersion =>
  versions.good !== null && isNewer(versions.good, bundled) ? versions.good : bundled

/**
 * The version to link with: the newest that is known and was not refused within a day. A phone
 * links no old one.
 */
function versionToLink({ good, named, refused }: Versions, bundled: WAVersion, now: number): WAVersion {
  const known = [good, named].filter((one) => one !== null)
  return known.reduce((best, one) => {
    const wasRefused = refused !== null && isSameVersion(refused.version, one) && now - refused.at < DAY
    return isNewer(one, best) && !wasRefused ? one : best
  }, bundled)
}

/**
 * After a login: the newest is kept, also where a connection that began earlier logs in with an
 * older one.
 */
export const loggedIn = (versions: Versions, version: WAVersion): Versions => ({
  ...versions,
  good: versions.good !== null && isNewer(versions.good, version) ? versions.good : version,
  refused: null,
})

/**
 * WhatsApp refused `used` with 405 and `fetched` is what it names as current: connect with that at
 * once when it is another and was not refused within a day. Otherwise the owner has to update
 * Kurir, and a day is waited.
 */
export function afterOutdated(
  versions: Versions,
  { used, fetched, now }: { used: WAVersion; fetched: WAVersion | undefined; now: number },
): { versions: Versions; next: { version: WAVersion } | { waitMs: number } } {
  const refused = { version: used, at: now }
  // A refused version is not good any more, or it would be tried first after every restart.
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
 * `<ib><client_expiration t/></ib>`: WhatsApp announces until when it takes this build; without `t`
 * it takes that back. A time that cannot be read is neither.
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

/** How long before its end a build is replaced. */
const BEFORE_EXPIRY = 2 * DAY

/** True if the current version should be read now, before WhatsApp refuses the one in use. */
export const isExpiring = (versions: Versions, version: WAVersion, now: number): boolean =>
  versions.expires !== null &&
  isSameVersion(versions.expires.version, version) &&
  versions.expires.at - now <= BEFORE_EXPIRY
