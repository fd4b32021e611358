import { type BinaryNode, DEFAULT_CONNECTION_CONFIG, type WAVersion } from 'baileys'
import { z } from 'zod'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import { sleep } from '../../../lib/sleep.ts'
import { DAY, HOUR, SECOND } from '../../../lib/time.ts'
import type { MetaStore } from '../../../store/index.ts'
import {
  afterOutdated,
  announced,
  fetchVersion,
  isExpiring,
  isNewer,
  isSameVersion,
  loggedIn,
  NO_VERSIONS,
  type Versions,
  versionToLink,
  versionToUse,
} from './version.ts'

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
