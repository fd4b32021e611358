import { type BinaryNode, S_WHATSAPP_NET, type WASocket } from 'baileys'
import { z } from 'zod'
import { SECOND } from '../../../lib/time.ts'
import { childOf, childrenOf, lidJidOf } from '../library/stanzas.ts'

import type { LinkedContext } from './context.ts'
import { isOn, merged, PROP, type Props, pruned, substituteFor, type TokenEntry, timingFrom } from './tokens.ts'

/** The library keeps a list of its tokens among them. */
const INDEX = '__index'

const entry = z.object({
  token: z.instanceof(Uint8Array).optional(),
  timestamp: z.string().optional(),
  senderTimestamp: z.number().optional(),
})

export type Trust = ReturnType<typeof createTrust>

/**
 * Server props and privacy tokens of an account. The library stores and attaches tokens, and
 * forgets the props.
 */
export function createTrust({ account, auth, clock, logger }: LinkedContext) {
  let props: Props = new Map()
  let salt: Uint8Array | null = null
  const seconds = () => Math.floor(clock.now() / SECOND)

  /** Whole, without the hash that the library keeps of an answer that it does not keep. */
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
      const read = entry.safeParse(value)
      if (id === INDEX || !read.success) continue
      const left = pruned(read.data as TokenEntry, seconds(), timing)
      if (left !== read.data) changes[id] = left
    }
    return changes
  }

  /** The library prunes only where the owner shows himself online, which Kurir never does. */
  async function prune(sock: WASocket): Promise<void> {
    const { keys } = sock.authState
    const found = Object.keys(expiredAmong(await auth.notes('tctoken')))
    // Once more: a contact may just have given a new one.
    const now = Object.entries(await keys.get('tctoken', found)).map(([id, value]) => ({ id, value }))
    const changes = expiredAmong(now)
    if (Object.keys(changes).length > 0) await keys.set({ tctoken: changes as never })
  }

  const logged = (what: string, work: Promise<unknown>): void =>
    void work.catch((err: unknown) => logger.debug({ err }, what))

  return {
    async load(): Promise<void> {
      const [kept] = await auth.notes('salt')
      if (kept?.value instanceof Uint8Array) salt = kept.value
    },
    onUp(sock: WASocket): void {
      logged(
        'the props of an account could not be read',
        readProps(sock).then(() => prune(sock)),
      )
    },
    /** Another account was linked. */
    forget(): void {
      props = new Map()
      salt = null
    },
    /** The phone says that it moved its chats to LIDs, which counts once the server says so too. */
    onMigration: (sock: WASocket): void => logged('the props of an account could not be read', readProps(sock)),
    /** Null: the account has none any more. */
    async learnSalt(found: Uint8Array | null): Promise<void> {
      salt = found
      await auth.note('salt', 'salt', found && Buffer.from(found))
    },
    /** Tokens of a history: one that came since is newer. `lid` is a user. */
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
    /** Nodes added to a message beside the library's token. */
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
