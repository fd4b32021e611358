import { createHmac } from 'node:crypto'
import { type BinaryNode, S_WHATSAPP_NET, type WASocket } from 'baileys'
import { z } from 'zod'
import { SECOND } from '../../../lib/clock.ts'
import { childOf, childrenOf, lidJidOf } from '../library/stanzas.ts'
import type { LinkedContext } from './context.ts'

/** Id under which the library stores a list of its tokens, among the tokens. */
const INDEX = '__index'

const storedEntry = z.object({
  token: z.instanceof(Uint8Array).optional(),
  timestamp: z.string().optional(),
  senderTimestamp: z.number().optional(),
})

export type Trust = ReturnType<typeof createTrust>

/**
 * Keeps the server props and privacy tokens of an account. A contact gives the account a tctoken so
 * that it may write; a cstoken is the substitute for a missing one. The library stores and attaches
 * tctokens, but forgets the props.
 */
export function createTrust({ account, auth, clock, logger }: LinkedContext) {
  let props: Props = new Map()
  let salt: Uint8Array | null = null
  const seconds = () => Math.floor(clock.now() / SECOND)

  /**
   * Reads all props. The query omits the hash of the last answer, which the library keeps although
   * it does not keep the answer.
   */
  async function readProps(sock: WASocket): Promise<void> {
    const answer = await sock.query({
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, xmlns: 'abt', type: 'get' },
      content: [{ tag: 'props', attrs: { protocol: '1' } }],
    })
    const found = propsIn(answer)
    if (found.size === 0) return
    props = found
    Object.assign(sock.serverProps, {
      privacyTokenOn1to1: isOn(props, PROP.attachToEveryMessage, true),
      lidTrustedTokenIssueToLid: isOn(props, PROP.issueToLid, false),
    })
    account.learnForm({ from: 'prop', migrated: isOn(props, PROP.lidMigration, false) })
  }

  function expiredAmong(all: readonly { id: string; value: unknown }[]): Record<string, TokenEntry | null> {
    const timing = timingFrom(props)
    const changes: Record<string, TokenEntry | null> = {}
    for (const { id, value } of all) {
      const read = storedEntry.safeParse(value)
      if (id === INDEX || !read.success) continue
      const left = pruned(read.data as TokenEntry, seconds(), timing)
      if (left !== read.data) changes[id] = left
    }
    return changes
  }

  /**
   * Removes expired tokens. The library does this only when the account shows itself online, which
   * Kurir never does.
   */
  async function prune(sock: WASocket): Promise<void> {
    const { keys } = sock.authState
    const found = Object.keys(expiredAmong(await auth.notes('tctoken')))
    // Read the tokens again, because a contact may just have given a new one.
    const now = Object.entries(await keys.get('tctoken', found)).map(([id, value]) => ({ id, value }))
    const changes = expiredAmong(now)
    if (Object.keys(changes).length > 0) await keys.set({ tctoken: changes as never })
  }

  const inBackground = (work: Promise<unknown>): void =>
    void work.catch((err: unknown) => logger.debug({ err }, 'the props of an account could not be read'))

  return {
    async load(): Promise<void> {
      const [kept] = await auth.notes('salt')
      if (kept?.value instanceof Uint8Array) salt = kept.value
    },
    onUp: (sock: WASocket): void => inBackground(readProps(sock).then(() => prune(sock))),
    /** Forgets the props and the salt, because another account was linked. */
    forget(): void {
      props = new Map()
      salt = null
    },
    /**
     * Reads the props again, because the phone says that it moved its chats to LIDs. The move
     * counts once the server says so too.
     */
    onMigration: (sock: WASocket): void => inBackground(readProps(sock)),
    /** Stores the account's salt; null: the account has none any more. */
    async learnSalt(found: Uint8Array | null): Promise<void> {
      salt = found
      await auth.note('salt', 'salt', found && Buffer.from(found))
    },
    /** Stores tokens from a history, unless a newer token is known. `lid` is the user part. */
    async learnTokens(sock: WASocket, found: readonly { lid: string; token: TokenEntry }[]): Promise<void> {
      const { keys } = sock.authState
      const ids = found.map(({ lid }) => lidJidOf(lid))
      const known = await keys.get('tctoken', ids)
      const changes = Object.fromEntries(
        found.map(({ token }, at) => {
          const id = ids[at] ?? ''
          return [id, merged(known[id] as TokenEntry | undefined, token)]
        }),
      )
      if (found.length > 0) await keys.set({ tctoken: changes as never })
    },
    /** Resolves with the nodes to add to a message beside the library's own token. */
    async nodesFor(sock: WASocket, lidUser: string | null): Promise<BinaryNode[]> {
      if (salt === null || lidUser === null) return []
      const jid = lidJidOf(lidUser)
      const kept = (await sock.authState.keys.get('tctoken', [jid]))[jid] as TokenEntry | undefined
      const node = substituteFor(kept, { salt, lidUser, props, now: seconds() })
      return node === undefined ? [] : [node]
    },
  }
}

function propsIn(answer: BinaryNode): Map<number, string> {
  return new Map(
    childrenOf(childOf(answer, 'props')).flatMap(({ attrs }) => {
      const code = Number(attrs.config_code)
      return Number.isInteger(code) && attrs.config_value !== undefined ? [[code, attrs.config_value] as const] : []
    }),
  )
}

/** Lifetimes of tokens, in seconds, as WhatsApp counts them. */
interface TokenTiming {
  /** Length of a bucket of received tokens; a token lives for `buckets` of them. */
  bucket: number
  buckets: number
  /** Length of a bucket of tokens that this account issues. */
  senderBucket: number
  senderBuckets: number
}

/** Tokens between this account and a contact, as the library keeps them. */
export interface TokenEntry {
  token?: Uint8Array
  /** When the contact issued the token, in seconds since 1970, as a decimal string. */
  timestamp?: string
  /** When this account last issued a token of its own, in seconds since 1970. */
  senderTimestamp?: number
}

/** Raw server props by code: decimal numbers, or "1", "true" and "enabled" for yes. */
type Props = ReadonlyMap<number, string>

/** Codes of the server props that Kurir reads. */
const PROP = {
  bucket: 865,
  buckets: 909,
  senderBucket: 996,
  senderBuckets: 997,
  attachToEveryMessage: 10518,
  issueToLid: 14303,
  lidMigration: 9435,
  attachCsToken: 24941,
} as const

const SEVEN_DAYS = 7 * 24 * 3600
/** WhatsApp Web's own limit. */
const LONGEST_BUCKET = 180 * 24 * 3600
const MOST_BUCKETS = 1000

function isOn(props: Props, code: number, otherwise: boolean): boolean {
  const value = props.get(code)
  return value === undefined ? otherwise : ['1', 'true', 'enabled'].includes(value)
}

function whole(props: Props, code: number, otherwise: number, most: number): number {
  const value = props.get(code) ?? ''
  return /^\d{1,9}$/.test(value) ? Math.min(Math.max(Number(value), 1), most) : otherwise
}

/** Returns the timing that the props set. Default: four buckets of seven days. */
export const timingFrom = (props: Props): TokenTiming => ({
  bucket: whole(props, PROP.bucket, SEVEN_DAYS, LONGEST_BUCKET),
  buckets: whole(props, PROP.buckets, 4, MOST_BUCKETS),
  senderBucket: whole(props, PROP.senderBucket, SEVEN_DAYS, LONGEST_BUCKET),
  senderBuckets: whole(props, PROP.senderBuckets, 4, MOST_BUCKETS),
})

const bucketOf = (t: number, length: number): number => Math.floor(t / length)
const isPast = (t: number, now: number, length: number, count: number): boolean =>
  t < (bucketOf(now, length) - (count - 1)) * length

/** True if a token that a contact issued at `t` has expired. */
export const isExpired = (t: number, now: number, { bucket, buckets }: TokenTiming): boolean =>
  isPast(t, now, bucket, buckets)

/** Returns the entry's token; undefined: none that WhatsApp still accepts. */
export function validToken(entry: TokenEntry | undefined, now: number, timing: TokenTiming): Uint8Array | undefined {
  const at = Number(entry?.timestamp)
  if (entry?.token === undefined || entry.token.length === 0 || !(at > 0)) return undefined
  return isExpired(at, now, timing) ? undefined : entry.token
}

/**
 * Returns an entry without its expired parts: null if nothing is left, the same object if nothing
 * has expired.
 */
export function pruned(entry: TokenEntry, now: number, timing: TokenTiming): TokenEntry | null {
  const { senderTimestamp } = entry
  const hasToken = entry.token !== undefined && entry.token.length > 0
  const token = validToken(entry, now, timing)
  const keepsIssued =
    senderTimestamp !== undefined && !isPast(senderTimestamp, now, timing.senderBucket, timing.senderBuckets)
  if (hasToken === (token !== undefined) && (senderTimestamp !== undefined) === keepsIssued) return entry
  if (token === undefined && !keepsIssued) return null
  return {
    ...(token === undefined ? { token: Buffer.alloc(0) } : { token, timestamp: entry.timestamp ?? '' }),
    ...(keepsIssued ? { senderTimestamp } : {}),
  }
}

/**
 * Returns an entry with the newer of each part, so that a history that is read late never replaces
 * a later token.
 */
export function merged(known: TokenEntry | undefined, found: TokenEntry): TokenEntry {
  if (known === undefined) return found
  const isNewer = Number(found.timestamp ?? 0) > Number(known.timestamp ?? 0)
  const issued = Math.max(known.senderTimestamp ?? 0, found.senderTimestamp ?? 0)
  const { token, timestamp } = isNewer ? found : known
  return {
    ...(token === undefined ? {} : { token }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(issued === 0 ? {} : { senderTimestamp: issued }),
  }
}

/**
 * Returns the substitute for a missing token. Only an account with a salt has one, and only for
 * contacts whose LID is known.
 */
export const csToken = (salt: Uint8Array, lidUser: string): Buffer =>
  createHmac('sha256', salt).update(lidJidOf(lidUser)).digest()

/**
 * Returns the node to add to a message to which the library adds no tctoken; undefined: no node.
 * @param entry the contact's stored tokens
 */
export function substituteFor(
  entry: TokenEntry | undefined,
  { salt, lidUser, props, now }: { salt: Uint8Array | null; lidUser: string | null; props: Props; now: number },
): BinaryNode | undefined {
  const attached = isOn(props, PROP.attachToEveryMessage, true) && validToken(entry, now, timingFrom(props))
  if (attached || salt === null || salt.length === 0 || lidUser === null) return undefined
  if (!isOn(props, PROP.attachCsToken, false)) return undefined
  return { tag: 'cstoken', attrs: {}, content: csToken(salt, lidUser) }
}
