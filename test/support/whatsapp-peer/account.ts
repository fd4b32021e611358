import type { Contact } from './directory.ts'
import type { PasskeyCeremony } from './passkey.ts'
import type { Passkey } from './passkey-assertion.ts'
import { createReach, type Reach } from './reach.ts'
import type { Settings } from './settings.ts'

/**
 * How the server treats an account: `migrated` addresses people by LID, `unmigrated` by phone
 * number, and each is refused in the other form. `lenient 2024` takes whatever servers took then,
 * for tests of what has nothing to do with it.
 */
export type AccountKind = 'migrated' | 'unmigrated' | 'lenient 2024'

export interface AccountOptions {
  kind?: AccountKind
  /** The migration in pair-success; by default it says that the account is migrated. */
  clientProps?: 'sent' | 'missing' | 'unreadable'
  /**
   * The answer to a question for the own devices by LID; the reference clients disagree, so the
   * default is empty.
   */
  ownDevicesByLid?: 'listed' | 'empty'
  /** How many companions the phone takes before it refuses. */
  mostCompanions?: number
  /** Accounts of people have no business name. */
  isBusiness?: boolean
  /** For cstokens. */
  salt?: Buffer
  /**
   * The chats of the phone, which it sends a client when that logs in first; `withheld`: the phone
   * is off, or a test sends them later.
   */
  history?: 'sent' | 'withheld'
  /**
   * WhatsApp wants a passkey before it links: any of the account's, that one by its name, or so
   * that the options must be asked for.
   */
  passkey?: 'asked' | 'asked by name' | 'asked without options'
  /** The passkey that the account has. */
  authenticator?: Passkey
}

/** The server's knowledge of somebody who links clients. */
export interface Account extends Required<Omit<AccountOptions, 'salt' | 'passkey' | 'authenticator'>> {
  salt: Buffer | undefined
  passkey: AccountOptions['passkey']
  authenticator: Passkey | undefined
  /** The phone's settings, which its clients get; undefined: it has none. */
  settings: Settings | undefined
  /** The last ceremony of a passkey. */
  ceremony: PasskeyCeremony | undefined
  /** Server props (A/B tests) by their code, and a name for this state of them. */
  props: Map<number, string>
  propsHash: string
  /** Changes since a hash: a client that names one gets only those. */
  propsChanges: { hash: string; codes: Set<number> }[]
  reach: Reach
  /** People with whom this account has a chat. */
  chats: Set<Contact>
  /** Tokens that people have issued to this account. */
  tokens: Map<Contact, { bytes: Buffer; at: number }>
  /** Tokens that this account has issued, by whom they were for. */
  issued: { to: Contact; address: string; at: number }[]
  /** The attributes of the failure that meets every login. */
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
