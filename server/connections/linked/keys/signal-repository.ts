import {
  DEFAULT_CONNECTION_CONFIG,
  isLidUser,
  jidDecode,
  proto,
  type SignalDataSet,
  type SocketConfig,
  unpadRandomMax16,
} from 'baileys'
import { StorageError } from '../../../lib/storage-error.ts'
import type { KeysOnDisk } from './auth-state.ts'
import type { Note } from './sealed-keys.ts'
import type { SenderKeys } from './sender-keys.ts'
import { boundedRecords } from './session-bounds.ts'
import { signedPreKeyFor } from './signed-pre-key.ts'

type MakeRepository = SocketConfig['makeSignalRepository']

/** Messages of the owner's phone: on disk before WhatsApp forgets them. */
export interface OwnPhone {
  /** True if a jid is that of the phone. */
  is(jid: string): boolean
  /** Its number and its LID, as far as they are known. */
  users(): { pn: string | undefined; lid: string | undefined }
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
   * Resolves when what follows from a decrypted message is on disk. May be called again for the
   * same message.
   */
  take(ciphertext: Uint8Array, plaintext: Uint8Array): Promise<void>
  /** True if too many messages of its sender could not be read. */
  isTooMany(ciphertext: Uint8Array): boolean
  onUnreadable(ciphertext: Uint8Array): void
}

export interface RepositoryDeps {
  phone: OwnPhone
  customers: Customers
  senderKeys: SenderKeys['records']
  /** No frame leaves before this is on disk; where it fails, the connection ends. */
  hold(write: Promise<void>): void
  /** Ends the connection, before anything else is written to it. */
  onLost(): void
  /**
   * A message cannot be read; `again`: another copy of it could. What is stored here has not
   * failed.
   */
  refuse(ciphertext: Uint8Array, again: boolean): Promise<void>
}

/**
 * With this the library confirms a message plainly. After all other errors it does so with an error
 * of its own.
 */
const TEXT_OF_NOTHING = 'Message absent from node'

/** libsignal's name for a message that was opened before. */
const REPETITION = 'MessageCounterError'

const TOO_MANY = new Error('too many unreadable messages of this sender')

/**
 * The library's Signal repository, but each step of a session is written when it is made, and the
 * frame is held until that is on disk (write-barrier.ts). The library itself stores it when the
 * whole send is over, after the frame has left: a program that is killed in between would seal its
 * next message with the same key, and a device drops that as a repetition, without asking again
 * (measured with libsignal). A step without a message does no harm. libsignal lets only one step of
 * a session be under way, so no transaction is missed.
 *
 * A step that could not be read or stored is `onLost`: the library would go on without it, write
 * the message without the copy for that device, and the server would acknowledge that. A
 * recipient's phone without a copy never says anything.
 *
 * A message can be decrypted once. What is kept of one of the owner's phone is written together
 * with that step, so that a crash in between loses neither. What follows from one of a customer is
 * written before the step: after a crash in between, or where it could not be written, the message
 * comes again and is decrypted again (docs/decisions/0071-customers.md). Nothing is confirmed then:
 * the connection ends, and WhatsApp brings the message in the next one.
 */
export const savingSessionsAtOnce =
  (disk: KeysOnDisk, { phone, customers, senderKeys, hold, onLost, refuse }: RepositoryDeps): MakeRepository =>
  ({ creds, keys }, logger) => {
    let held: Held | undefined

    async function orLost<T>(work: T | Promise<T>): Promise<T> {
      try {
        return await work
      } catch (error) {
        onLost()
        throw error
      }
    }

    const storage: typeof keys = {
      ...keys,
      async get(type, ids) {
        if (type === 'sender-key') return Object.fromEntries(ids.map((id) => [id, senderKeys.get(id)])) as never
        const found = await orLost((type === 'session' ? disk : keys).get(type, ids))
        if (type === 'session') Object.assign(found, await orLost(begunByNumber(ids.filter((id) => !found[id]))))
        if (type === 'session' && held !== undefined) Object.assign(found, heldOf(held, ids))
        return type === 'session' ? boundedRecords(found) : found
      },
      async set({ session, 'sender-key': ofGroups, ...others }: SignalDataSet) {
        for (const [name, record] of Object.entries(ofGroups ?? {})) if (record) senderKeys.set(name, record)
        if (session !== undefined) await setSessions(boundedRecords(session))
        if (Object.keys(others).length === 0) return
        // The key with which a session was begun goes when its first step is on disk: the message
        // may come again until then.
        if (held?.isDecrypted === false && isSpentKey(others)) Object.assign(held.spent, others['pre-key'])
        else await keys.set(others)
      },
    }

    async function setSessions(session: NonNullable<SignalDataSet['session']>): Promise<void> {
      if (held !== undefined && Object.keys(session).every((id) => held?.addresses.has(id))) {
        if (!held.isDecrypted) return void Object.assign(held.session, session)
        await held.written.promise
      }
      const steps = await orLost(moved(session))
      // The next read finds it in memory already.
      hold(Promise.resolve(disk.set({ session: steps })))
    }

    /** The places by number of sessions by LID, where the number is known. */
    async function placesByNumber(ids: readonly string[]): Promise<{ id: string; place: string }[]> {
      const lids = ids.map((id) => BY_LID.exec(id)?.[1]).filter((lid) => lid !== undefined)
      if (lids.length === 0) return []
      const numbers = await keys.get(
        'lid-mapping',
        lids.map((lid) => `${lid}_reverse`),
      )
      return ids.flatMap((id) => {
        const lid = BY_LID.exec(id)?.[1]
        const number = numbers[`${lid}_reverse`]
        return number ? [{ id, place: id.replace(`${lid}_1`, number) }] : []
      })
    }

    /** Sessions that began while the LID was not known, under their ids by LID. */
    async function begunByNumber(ids: readonly string[]): Promise<NonNullable<SignalDataSet['session']>> {
      const places = await placesByNumber(ids)
      if (places.length === 0) return {}
      const found = await disk.get(
        'session',
        places.map(({ place }) => place),
      )
      return Object.fromEntries(places.flatMap(({ id, place }) => (found[place] ? [[id, found[place]]] : [])))
    }

    /** Adds that they leave their places by number: an old step must never be made again. */
    async function moved(session: NonNullable<SignalDataSet['session']>): Promise<typeof session> {
      const ids = Object.keys(session)
      const before = await begunByNumber(ids)
      const left = (await placesByNumber(ids)).filter(({ id }) => before[id])
      return { ...session, ...Object.fromEntries(left.map(({ place }) => [place, null])) }
    }

    const make = (own: typeof creds) =>
      DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: own, keys: storage }, logger, askNobody)
    const repository = make(creds)

    /** The library knows the current signed pre-key alone, whichever a message was sealed to. */
    function open(message: Message): Promise<Uint8Array> {
      const key = message.type === 'pkmsg' ? signedPreKeyFor(message.ciphertext, creds) : undefined
      if (key === undefined || key.keyId === creds.signedPreKey.keyId) return repository.decryptMessage(message)
      return make(Object.create(creds, { signedPreKey: { value: key } })).decryptMessage(message)
    }

    /**
     * Decrypts with the step of the session held back until `keep` has resolved; where it rejects,
     * no step was made.
     */
    async function decryptHolding(
      message: Message,
      addresses: ReadonlySet<string>,
      keep: (plaintext: Uint8Array) => Promise<readonly Note[]>,
    ) {
      while (held !== undefined) await held.written.promise
      const mine: Held = { addresses, session: {}, spent: {}, isDecrypted: false, written: Promise.withResolvers() }
      held = mine
      let plaintext: Uint8Array | undefined
      try {
        plaintext = await open(message)
        return plaintext
      } finally {
        mine.isDecrypted = true
        try {
          const notes = plaintext === undefined ? [] : await keep(plaintext)
          if (Object.keys(mine.session).length > 0) {
            await orLost(disk.setWith({ session: await moved(mine.session), 'pre-key': mine.spent }, notes))
          }
        } finally {
          if (held === mine) held = undefined
          mine.written.resolve()
        }
      }
    }

    async function decryptOfCustomer(message: Message) {
      if (customers.isTooMany(message.ciphertext)) throw TOO_MANY
      const { user = '', device = 0 } = jidDecode(message.jid) ?? {}
      const lid = isLidUser(message.jid) ? user : await customers.lidOf(user)
      const addresses = new Set([`${user}.${device}`, ...(lid === null ? [] : [`${lid}_1.${device}`])])
      let isRead = false
      try {
        return await decryptHolding(message, addresses, async (plaintext) => {
          isRead = true
          await orLost(customers.take(message.ciphertext, plaintext))
          return []
        })
      } catch (error) {
        if (!isRead) customers.onUnreadable(message.ciphertext)
        throw error
      }
    }

    function decrypt(message: Message): Promise<Uint8Array> {
      if (phone.is(message.jid)) return decryptHolding(message, addressesOf(phone.users()), phone.keep)
      return customers.is(message.jid) ? decryptOfCustomer(message) : open(message)
    }

    return {
      ...repository,
      // Messages of groups are not read, and anybody can send such keys, for as many groups as they
      // like.
      async processSenderKeyDistributionMessage() {},
      async decryptMessage(message) {
        let plaintext: Uint8Array | undefined
        try {
          plaintext = await decrypt(message)
          proto.Message.decode(unpadRandomMax16(plaintext))
          return plaintext
        } catch (error) {
          if (error instanceof StorageError) onLost()
          // A message that holds nonsense would hold it again.
          const again = plaintext === undefined && error !== TOO_MANY && (error as Error).name !== REPETITION
          await refuse(message.ciphertext, again)
          throw new Error(TEXT_OF_NOTHING)
        }
      },
    }
  }

/**
 * Answers for the LID of a number: what is known has to do. The library would ask WhatsApp in the
 * middle of what came in, and all that comes after would wait.
 */
const askNobody = async (): Promise<never[]> => []

type Message = Parameters<ReturnType<MakeRepository>['decryptMessage']>[0]

/** Steps of the session with the one who wrote that are not on disk yet. */
interface Held {
  addresses: ReadonlySet<string>
  session: NonNullable<SignalDataSet['session']>
  spent: NonNullable<SignalDataSet['pre-key']>
  isDecrypted: boolean
  written: PromiseWithResolvers<void>
}

/** Address of a session by LID, as the library writes it. */
const BY_LID = /^(\d+)_1\.\d+$/

const isSpentKey = (data: SignalDataSet): boolean =>
  Object.keys(data).every((type) => type === 'pre-key') &&
  Object.values(data['pre-key'] ?? {}).every((value) => value === null)

const heldOf = ({ session }: Held, ids: string[]) =>
  Object.fromEntries(ids.flatMap((id) => (session[id] == null ? [] : [[id, session[id]]])))

/** As libsignal names the phone: by number and, with the library's mark, by LID. */
function addressesOf({ pn, lid }: ReturnType<OwnPhone['users']>): ReadonlySet<string> {
  return new Set([...(pn === undefined ? [] : [`${pn}.0`]), ...(lid === undefined ? [] : [`${lid}_1.0`])])
}
