import { DEFAULT_CONNECTION_CONFIG, isLidUser, jidDecode, proto, type SocketConfig, unpadRandomMax16 } from 'baileys'
import { StorageError } from '../../../lib/storage-error.ts'
import type { KeysOnDisk } from './auth-state.ts'
import type { Note } from './sealed-keys.ts'
import { type Held, type KeysContext, moved, orLost, writingStepsAtOnce } from './session-steps.ts'
import { signedPreKeyFor } from './signed-pre-key.ts'

type MakeRepository = SocketConfig['makeSignalRepository']

type Message = Parameters<ReturnType<MakeRepository>['decryptMessage']>[0]

/** A number and its LID, as far as they are known. */
interface Users {
  pn: string | undefined
  lid: string | null | undefined
}

/** Messages of the owner's phone: on disk before WhatsApp forgets them. */
export interface OwnPhone {
  /** True if a jid is that of the phone. */
  is(jid: string): boolean
  users(): Users
  /**
   * Resolves with what is to be kept of a decrypted message of the phone, in the same write as the
   * step of its session.
   */
  keep(plaintext: Uint8Array): Promise<readonly Note[]>
}

/** Messages of customers: passed on before WhatsApp forgets them. */
export interface Customers {
  /** True if a jid may be that of a customer. */
  is(jid: string): boolean
  /** The LID of a number, as far as it is known. */
  lidOf(user: string): Promise<string | null>
  /**
   * Resolves when what follows from a decrypted message is on disk: with true where nothing is left
   * for the library to read. May be called again for the same message.
   */
  take(ciphertext: Uint8Array, content: proto.Message): Promise<boolean>
  /** True if too many messages of its sender could not be read. */
  isTooMany(ciphertext: Uint8Array): boolean
  onUnreadable(ciphertext: Uint8Array): void
}

export interface RepositoryDeps extends Pick<KeysContext, 'senderKeys' | 'hold' | 'onLost'> {
  phone: OwnPhone
  customers: Customers
  /**
   * A message cannot be read; `again`: another copy of it could. What is stored here has not
   * failed.
   */
  refuse(ciphertext: Uint8Array, again: boolean): Promise<void>
}

type RepositoryContext = RepositoryDeps & KeysContext & { open(message: Message): Promise<Uint8Array> }

/**
 * With this the library confirms a message plainly. After all other errors it does so with an error
 * of its own.
 */
const TEXT_OF_NOTHING = 'Message absent from node'

/** libsignal's name for a message that was opened before. */
const REPETITION = 'MessageCounterError'

/** A message without content, padded. */
const EMPTY = Buffer.from([1])

const NONSENSE = new Error('a message holds nonsense')
const TOO_MANY = new Error('too many unreadable messages of this sender')

/**
 * The library's Signal repository, but a step of a session is on disk before what follows from it
 * (session-steps.ts).
 *
 * A message can be decrypted once. What is kept of one of the owner's phone is written together
 * with that step, so that a crash in between loses neither. What follows from one of a customer is
 * written before the step: after a crash in between, or where it could not be written, the message
 * comes again and is decrypted again (docs/decisions/0071-customers.md). Nothing is confirmed then:
 * the connection ends, and WhatsApp brings the message in the next one.
 */
export const savingSessionsAtOnce =
  (disk: KeysOnDisk, deps: RepositoryDeps): MakeRepository =>
  ({ creds, keys }, logger) => {
    const context: RepositoryContext = { ...deps, disk, keys, held: undefined, open }
    const stored = writingStepsAtOnce(context)
    const make = (own: typeof creds) =>
      DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: own, keys: stored }, logger, askNobody)
    const repository = make(creds)

    /** The library knows the current signed pre-key alone, whichever a message was sealed to. */
    function open(message: Message): Promise<Uint8Array> {
      const key = message.type === 'pkmsg' ? signedPreKeyFor(message.ciphertext, creds) : undefined
      if (key === undefined || key.keyId === creds.signedPreKey.keyId) return repository.decryptMessage(message)
      return make(Object.create(creds, { signedPreKey: { value: key } })).decryptMessage(message)
    }

    return {
      ...repository,
      // Messages of groups are not read, and anybody can send such keys, for as many groups as they
      // like.
      async processSenderKeyDistributionMessage() {},
      decryptMessage: (message) => decryptOrRefuse(context, message),
    }
  }

/**
 * Answers for the LID of a number: what is known has to do. The library would ask WhatsApp in the
 * middle of what came in, and all that comes after would wait.
 */
const askNobody = async (): Promise<never[]> => []

async function decryptOrRefuse(context: RepositoryContext, message: Message): Promise<Uint8Array> {
  try {
    const plaintext = await decrypt(context, message)
    if (contentIn(plaintext) === undefined) throw NONSENSE
    return plaintext
  } catch (error) {
    if (error instanceof StorageError) context.onLost()
    // A message that holds nonsense would hold it again.
    const again = error !== NONSENSE && error !== TOO_MANY && (error as Error).name !== REPETITION
    await context.refuse(message.ciphertext, again)
    throw new Error(TEXT_OF_NOTHING)
  }
}

/** Undefined where it cannot be read. */
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
 * A customer chooses how much work it is to read a message: it is read once, and the library gets
 * an empty one to confirm.
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

/** As libsignal names a device: by number and, with the library's mark, by LID. */
function addressesOf({ pn, lid }: Users, device: number): ReadonlySet<string> {
  return new Set([...(pn == null ? [] : [`${pn}.${device}`]), ...(lid == null ? [] : [`${lid}_1.${device}`])])
}

/**
 * Decrypts with the steps of the session held back until `keep` has resolved; where it rejects, no
 * step was made.
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
