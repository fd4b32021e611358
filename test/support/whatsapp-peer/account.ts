import type { Contact } from './directory.ts'
import type { PasskeyCeremony } from './passkey.ts'
import type { Passkey } from './passkey-assertion.ts'
import { createReach, type Reach } from './reach.ts'
import type { Settings } from './settings.ts'

/**
 * How the server treats an account. `migrated` must address people by LID, `unmigrated` by phone
 * number; each is refused the other form. `lenient 2024` accepts what servers accepted then, for
 * tests that have nothing to do with addressing.
 */
export type AccountKind = 'migrated' | 'unmigrated' | 'lenient 2024'

export interface AccountOptions {
  kind?: AccountKind
  /** The LID migration in pair-success. Default: the truth about the account. */
  clientProps?: 'sent' | 'missing' | 'unreadable'
  /**
   * Answer to a query for the account's own devices by LID. The reference clients disagree, so the
   * default is empty.
   */
  ownDevicesByLid?: 'listed' | 'empty'
  /** Most companions before the phone refuses to link another. */
  mostCompanions?: number
  /** False for personal accounts, which have no business name. */
  isBusiness?: boolean
  /** Key from which clients make cstokens. */
  salt?: Buffer
  /**
   * The phone's chats, which it sends to a client at the first login. `withheld`: the phone is off,
   * or the test sends them later.
   */
  history?: 'sent' | 'withheld'
  /**
   * WhatsApp demands a passkey before linking: any of the account's, a named one, or one whose
   * options the client must request.
   */
  passkey?: 'asked' | 'asked by name' | 'asked without options'
  authenticator?: Passkey
}

/** The server's state of an account that links clients. */
export interface Account extends Required<Omit<AccountOptions, 'salt' | 'passkey' | 'authenticator'>> {
  salt: Buffer | undefined
  passkey: AccountOptions['passkey']
  authenticator: Passkey | undefined
  /** Settings of the phone that its clients receive; undefined: none. */
  settings: Settings | undefined
  /** Latest passkey ceremony. */
  ceremony: PasskeyCeremony | undefined
  /** Server props (A/B tests) by code, and the name of their current state. */
  props: Map<number, string>
  propsHash: string
  /** Changes since each hash. A client that names a known hash gets only these. */
  propsChanges: { hash: string; codes: Set<number> }[]
  reach: Reach
  chats: Set<Contact>
  /** Tokens that people issued to this account. */
  tokens: Map<Contact, { bytes: Buffer; at: number }>
  /** Tokens that this account issued. */
  issued: { to: Contact; address: string; at: number }[]
  /** Returns the attributes of the failure for a login; undefined: the login succeeds. */
  refusal: (() => Record<string, string> | undefined) | undefined
}

const MOST_COMPANIONS = 4

export const createAccount = (): Account => ({
  kind: 'unmigrated',
  clientProps: 'sent',
  ownDevicesByLid: 'empty',
  mostCompanions: MOST_COMPANIONS,
  history: 'sent',
  isBusiness: true,
  salt: undefined,
  passkey: undefined,
  authenticator: undefined,
  settings: undefined,
  ceremony: undefined,
  props: new Map(),
  propsHash: 'props-0',
  propsChanges: [],
  reach: createReach(),
  chats: new Set(),
  tokens: new Map(),
  issued: [],
  refusal: undefined,
})

export const isStrict = ({ kind }: Account): boolean => kind !== 'lenient 2024'
