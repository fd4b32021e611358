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

/** The library counts each request twice, so that a message is given out again five times. */
const RETRIES = 10

export interface SocketOptions {
  /** Default: WhatsApp's. */
  url: string | undefined
  /** How long WhatsApp may take to answer a question, in milliseconds. */
  queryTimeout: number
  devices: DeviceCache
  unreadable: Unreadable
  groups: Groups
  /** @param chat where it was sent, without a device */
  contentOf: (providerMessageId: string, chat: string) => Promise<proto.IMessage | undefined>
  /** A person's address as messages are written to it, and the own one in the same form. */
  addressOf: (chat: string, sock: WASocket) => Promise<Address>
  /** Keeps parts of a message of the owner's phone before WhatsApp gets its receipt. */
  keepOfPhone: (plaintext: Uint8Array, sock: WASocket) => Promise<readonly Note[]>
  logger: Logger
}

export interface Identity {
  creds: AuthenticationCreds
  keys: KeysOnDisk
  version: WAVersion
  /** A code is to be typed in on the phone. */
  pairingCode: boolean
}

/** WhatsApp takes pairing codes only from names of systems that it knows. */
export const browserOf = (pairingCode: boolean): WABrowserDescription =>
  pairingCode ? PAIRING_BROWSER : ['Kurir', 'Chrome', '1.0']

/** The part of the library's configuration that every connection has. */
export const quietConfig = ({ url, queryTimeout, logger }: SocketOptions) => ({
  logger: createLibraryLogger(logger),
  // Being online would silence the notifications of the owner's phone.
  markOnlineOnConnect: false,
  syncFullHistory: false,
  // It is read by our own decoder, which keeps no text.
  shouldSyncHistoryMessage: () => false,
  defaultQueryTimeoutMs: queryTimeout,
  ...(url === undefined ? {} : { waWebSocketUrl: url }),
})

/** A connection as the library's repository of sessions needs it. */
interface Line {
  sockOf(): WASocket
  arrivals: Arrivals
  /** No frame leaves before this is on disk. */
  hold(write: Promise<void>): void
  /** Ends the connection. */
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
    // It would be a timer, two formatted stacks and an error for each frame. A line that says
    // nothing is ended by `dial` before it is open, and by the library's pings from then on.
    connectTimeoutMs: 0,
    maxMsgRetryCount: RETRIES,
    // A commit that fails has little hope to succeed later, and the whole lane would wait for it.
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
    // Its pause after each unreadable message holds up everybody's: a hundred of them shut the
    // inbox for half a minute.
    retryRequestDelayMs: 0,
    getMessage: ({ id, remoteJid }) => options.contentOf(id ?? '', jidNormalizedUser(remoteJid ?? undefined)),
  }
}
