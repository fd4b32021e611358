import {
  type AuthenticationCreds,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  type proto,
  type UserFacingSocketConfig,
  type WABrowserDescription,
  type WASocket,
  type WAVersion,
} from 'baileys'
import type { Logger } from '../../../lib/logger.ts'
import { type Address, knownLid } from '../account/addressing.ts'
import type { DeviceCache } from '../account/devices.ts'
import type { Groups } from '../groups/groups.ts'
import type { KeysOnDisk } from '../keys/auth-state.ts'
import type { Note } from '../keys/sealed-keys.ts'
import { savingSessionsAtOnce } from '../keys/signal-repository.ts'
import { createLibraryLogger } from '../library/library-socket.ts'
import { isOwnDevice, isOwnPhone, ownUsers } from '../library/stanzas.ts'
import type { Arrivals, Unreadable } from '../receiving/arrivals.ts'
import { PAIRING_BROWSER } from './codes.ts'

export interface SocketOptions {
  /** Undefined: WhatsApp's. */
  url: string | undefined
  /** How long WhatsApp may take to answer a query, in milliseconds. */
  queryTimeout: number
  devices: DeviceCache
  unreadable: Unreadable
  groups: Groups
  /** @param chat the jid that the message was sent to, without a device */
  contentOf: (providerMessageId: string, chat: string) => Promise<proto.IMessage | undefined>
  /**
   * Resolves with the address that messages to a person are written to, and this account's own in
   * the same form.
   */
  addressOf: (chat: string, sock: WASocket) => Promise<Address>
  /**
   * Resolves with the parts of the phone's message that must be on disk before WhatsApp gets its
   * receipt.
   */
  keepOfPhone: (plaintext: Uint8Array, sock: WASocket) => Promise<readonly Note[]>
  logger: Logger
}

export interface Identity {
  creds: AuthenticationCreds
  keys: KeysOnDisk
  version: WAVersion
  /** True if the owner types a code into the phone. */
  pairingCode: boolean
}

export const browserOf = (pairingCode: boolean): WABrowserDescription =>
  pairingCode ? PAIRING_BROWSER : ['Kurir', 'Chrome', '1.0']

/** The part of the library's configuration that every connection has. */
export const quietConfig = ({ url, queryTimeout, logger }: SocketOptions) => ({
  logger: createLibraryLogger(logger),
  // Being online would silence the notifications of the owner's phone.
  markOnlineOnConnect: false,
  syncFullHistory: false,
  // The history is read by our own decoder, which keeps no text.
  shouldSyncHistoryMessage: () => false,
  defaultQueryTimeoutMs: queryTimeout,
  ...(url === undefined ? {} : { waWebSocketUrl: url }),
})

/** The parts of a connection that the library's Signal repository needs. */
interface Line {
  sockOf(): WASocket
  arrivals: Arrivals
  /** Holds all later frames until the write is on disk. */
  hold(write: Promise<void>): void
  /** Ends the connection, because a step of a session could not be read or stored. */
  onLost(): void
}

export function configOf(
  options: SocketOptions,
  { creds, keys, version, pairingCode }: Identity,
  { sockOf, arrivals, hold, onLost }: Line,
): UserFacingSocketConfig {
  return {
    ...quietConfig(options),
    auth: { creds, keys },
    version,
    browser: browserOf(pairingCode),
    // A timeout would cost a timer, two formatted stacks and an error for each frame. A silent
    // connection is ended by `dial` before it is open, and by the library's pings from then on.
    connectTimeoutMs: 0,
    // A failed commit hardly succeeds later, and the whole lane would wait for it.
    transactionOpts: { maxCommitRetries: 2, delayBetweenTriesMs: 200 },
    makeSignalRepository: savingSessionsAtOnce(keys, {
      phone: {
        is: (jid) => isOwnPhone(jid, creds),
        users: () => ownUsers(creds),
        keep: (plaintext) => options.keepOfPhone(plaintext, sockOf()),
      },
      customers: {
        is: (jid) => (isPnUser(jid) || isLidUser(jid)) === true && !isOwnDevice(jid, creds),
        lidOf: (user) => knownLid(keys, user),
        take: arrivals.take,
        isTooMany: arrivals.isTooMany,
        onUnreadable: arrivals.onUnreadable,
      },
      senderKeys: options.groups.senderKeys.records,
      hold,
      onLost,
      refuse: arrivals.refuse,
    }),
    userDevicesCache: options.devices.store,
    placeholderResendCache: options.unreadable.requests,
    // The library's pause after each unreadable message would hold up all messages: a hundred
    // unreadable ones would close the inbox for half a minute.
    retryRequestDelayMs: 0,
    getMessage: ({ id, remoteJid }) => options.contentOf(id ?? '', jidNormalizedUser(remoteJid ?? undefined)),
  }
}
