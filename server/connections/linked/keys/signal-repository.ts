import { DEFAULT_CONNECTION_CONFIG, isLidUser, jidDecode, proto, type SocketConfig, unpadRandomMax16 } from 'baileys'
import { StorageError } from '../../../lib/storage-error.ts'
import type { KeysOnDisk } from './auth-state.ts'
import type { Note } from './sealed-keys.ts'
import { type Held, type KeysContext, moved, orLost, writingStepsAtOnce } from './session-steps.ts'
import { signedPreKeyFor } from './signed-pre-key.ts'

type MakeRepository = SocketConfig['makeSignalRepository']

type Message = Parameters<ReturnType<MakeRepository>['decryptMessage']>[0]

/** A number and its LID; null or undefined: unknown. */
interface Users {
  pn: string | undefined
  lid: string | null | undefined
}

/** Handles messages of the owner's phone, which are on disk before WhatsApp forgets them. */
export interface OwnPhone {
  /** True if a jid is that of the phone. */
  is(jid: string): boolean
  users(): Users
  /**
   * Resolves with the notes to store about a decrypted message, in the same write as the step of
   * its session.
   */
  keep(plaintext: Uint8Array): Promise<readonly Note[]>
}

/** Handles messages of customers, which are passed on before WhatsApp forgets them. */
export interface Customers {
  /** True if a jid may be that of a customer. */
  is(jid: string): boolean
  /** Resolves with the LID of a number, user part to user part; null: unknown. */
  lidOf(user: string): Promise<string | null>
  /**
   * Takes a decrypted message. Resolves when everything that follows from it is on disk, with true
   * if nothing is left for the library to read. May be called again for the same message.
   */
  take(ciphertext: Uint8Array, content: proto.Message): Promise<boolean>
  /** True if too many messages of this message's author could not be read. */
  isTooMany(ciphertext: Uint8Array): boolean
  onUnreadable(ciphertext: Uint8Array): void
}

export interface RepositoryDeps extends Pick<KeysContext, 'senderKeys' | 'hold' | 'onLost'> {
  phone: OwnPhone
  customers: Customers
  /**
   * Refuses a message that cannot be read. `again`: another copy could be read, so ask for one
   * unless the connection has ended.
   */
  refuse(ciphertext: Uint8Array, again: boolean): Promise<void>
}

type RepositoryContext = RepositoryDeps & KeysContext & { open(message: Message): Promise<Uint8Array> }

/**
 * Text of the only error after which the library confirms a message plainly. After any other error
 * its confirmation carries an error.
 */
const TEXT_OF_NOTHING = 'Message absent from node'

/** Name of libsignal's error for a message that was decrypted before. */
const REPETITION = 'MessageCounterError'

/** A message without content, padded. */
const EMPTY = Buffer.from([1])

const NONSENSE = new Error('a message holds nonsense')
const TOO_MANY = new Error('too many unreadable messages of this sender')

/**
 * Makes the library's Signal repository, with each step of a session on disk before anything that
 * follows from it (session-steps.ts).
 *
 * A message can be decrypted only once. Notes about a message of the owner's phone are written
 * together with the step, so that a crash loses neither. Everything that follows from a customer's
 * message is written before the step. After a crash in between, or if that write fails, nothing is
 * confirmed: the connection ends, and WhatsApp brings the message in the next one, where it is
 * decrypted again (docs/decisions/0071-customers.md).
 */
export const savingSessionsAtOnce =
  (disk: KeysOnDisk, deps: RepositoryDeps): MakeRepository =>
  ({ creds, keys }, logger) => {
    const context: RepositoryContext = { ...deps, disk, keys, held: undefined, open }
    const stored = writingStepsAtOnce(context)
    const make = (own: typeof creds) =>
      DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: own, keys: stored }, logger, askNobody)
    const repository = make(creds)

    /**
     * Decrypts a message with the signed pre-key to which it was encrypted. The library knows only
     * the current one.
     */
    function open(message: Message): Promise<Uint8Array> {
      const key = message.type === 'pkmsg' ? signedPreKeyFor(message.ciphertext, creds) : undefined
      if (key === undefined || key.keyId === creds.signedPreKey.keyId) return repository.decryptMessage(message)
      return make(Object.create(creds, { signedPreKey: { value: key } })).decryptMessage(message)
    }

    return {
      ...repository,
      // Ignored, because messages of groups are not read, and anybody can send such keys for any
      // number of groups.
      async processSenderKeyDistributionMessage() {},
      decryptMessage: (message) => decryptOrRefuse(context, message),
    }
  }

/**
 * Answers the library's look-ups of LIDs with none, so that it uses only stored LIDs. It would ask
 * WhatsApp in the middle of an incoming message, and all later messages would wait.
 */
const askNobody = async (): Promise<never[]> => []

async function decryptOrRefuse(context: RepositoryContext, message: Message): Promise<Uint8Array> {
  try {
    const plaintext = await decrypt(context, message)
    if (contentIn(plaintext) === undefined) throw NONSENSE
    return plaintext
  } catch (error) {
    if (error instanceof StorageError) context.onLost()
    // Another copy does not help if the content is nonsense or was decrypted before.
    const again = error !== NONSENSE && error !== TOO_MANY && (error as Error).name !== REPETITION
    await context.refuse(message.ciphertext, again)
    throw new Error(TEXT_OF_NOTHING)
  }
}

/** Decodes a message; undefined: it cannot be read. */
function contentIn(plaintext: Uint8Array): proto.Message | undefined {
  try {
    return proto.Message.decode(unpadRandomMax16(plaintext))
  } catch {
    return undefined
  }
}

function decrypt(context: RepositoryContext, message: Message): Promise<Uint8Array> {
  const { phone, customers, open } = context
  if (phone.is(message.jid)) return decryptHolding(context, message, addressesOf(phone.users(), 0), phone.keep)
  return customers.is(message.jid) ? decryptOfCustomer(context, message) : open(message)
}

/**
 * Decrypts a customer's message and decodes it once. The library gets an empty message to confirm,
 * because customers choose how much work it is to read their messages.
 */
async function decryptOfCustomer(context: RepositoryContext, message: Message): Promise<Uint8Array> {
  const { customers } = context
  if (customers.isTooMany(message.ciphertext)) throw TOO_MANY
  const { user = '', device = 0 } = jidDecode(message.jid) ?? {}
  const lid = isLidUser(message.jid) ? user : await customers.lidOf(user)
  let isRead = false
  let isTaken = false
  try {
    const opened = await decryptHolding(context, message, addressesOf({ pn: user, lid }, device), async (plaintext) => {
      isRead = true
      const content = contentIn(plaintext)
      if (content !== undefined) isTaken = await orLost(context, customers.take(message.ciphertext, content))
      return []
    })
    return isTaken ? EMPTY : opened
  } catch (error) {
    if (!isRead) customers.onUnreadable(message.ciphertext)
    throw error
  }
}

/** Returns libsignal's names of a device: by number and, with the library's `_1`, by LID. */
function addressesOf({ pn, lid }: Users, device: number): ReadonlySet<string> {
  return new Set([...(pn == null ? [] : [`${pn}.${device}`]), ...(lid == null ? [] : [`${lid}_1.${device}`])])
}

/**
 * Decrypts a message, and writes the steps of its session only after `keep` has resolved. If `keep`
 * rejects, no step is stored.
 */
async function decryptHolding(
  context: RepositoryContext,
  message: Message,
  addresses: ReadonlySet<string>,
  keep: (plaintext: Uint8Array) => Promise<readonly Note[]>,
): Promise<Uint8Array> {
  while (context.held !== undefined) await context.held.written.promise
  const held: Held = { addresses, session: {}, spent: {}, isDecrypted: false, written: Promise.withResolvers() }
  context.held = held
  let plaintext: Uint8Array | undefined
  try {
    plaintext = await context.open(message)
    return plaintext
  } finally {
    held.isDecrypted = true
    try {
      const notes = plaintext === undefined ? [] : await keep(plaintext)
      if (Object.keys(held.session).length > 0) {
        const steps = { session: await orLost(context, moved(context, held.session)), 'pre-key': held.spent }
        await orLost(context, context.disk.setWith(steps, notes))
      }
    } finally {
      context.held = undefined
      held.written.resolve()
    }
  }
}
