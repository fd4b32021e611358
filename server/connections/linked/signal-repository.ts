import { DEFAULT_CONNECTION_CONFIG, type SignalDataSet, type SocketConfig } from 'baileys'
import type { KeysOnDisk, Note } from './auth-state.ts'

type MakeRepository = SocketConfig['makeSignalRepository']

/** What the owner's phone has written must be on disk before WhatsApp forgets it. */
export interface OwnPhone {
  /** Whether a jid is that of the phone. */
  is(jid: string): boolean
  /** Its number and its LID, as far as they are known. */
  users(): { pn: string | undefined; lid: string | undefined }
  /** Resolves with what is to be kept of a decrypted message of the phone, in the same write as the step of its session. */
  keep(plaintext: Uint8Array): Promise<readonly Note[]>
}

/**
 * The library's Signal repository, but each step of a session is stored when it is made. The library itself stores it
 * when the whole send is over, after the frame has left: a program that is killed in between would seal its next message
 * with the same key, and a device drops that as a repetition, without asking again (measured with libsignal). A step
 * without a message does no harm. libsignal lets only one step of a session be under way, so no transaction is missed.
 *
 * A message of the owner's phone can be decrypted once: what is kept of it is written together with that step, so that a
 * crash in between loses neither.
 */
export const savingSessionsAtOnce =
  (disk: KeysOnDisk, phone: OwnPhone): MakeRepository =>
  ({ creds, keys }, ...rest) => {
    let held: Held | undefined
    const storage: typeof keys = {
      ...keys,
      async get(type, ids) {
        const found = await (type === 'session' ? disk : keys).get(type, ids)
        if (type === 'session' && held !== undefined) Object.assign(found, heldOf(held, ids))
        return found
      },
      async set({ session, ...others }: SignalDataSet) {
        if (session !== undefined) await setSessions(session)
        if (Object.keys(others).length > 0) await keys.set(others)
      },
    }

    async function setSessions(session: NonNullable<SignalDataSet['session']>): Promise<void> {
      const isOfPhone = held !== undefined && Object.keys(session).every((id) => held?.addresses.has(id))
      if (held === undefined || !isOfPhone) return disk.set({ session })
      if (held.isDecrypted) {
        await held.written.promise
        return disk.set({ session })
      }
      Object.assign(held.session, session)
    }

    const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys: storage }, ...rest)

    async function decryptOfPhone(message: Parameters<typeof repository.decryptMessage>[0]) {
      await held?.written.promise
      const mine: Held = {
        addresses: addressesOf(phone.users()),
        session: {},
        isDecrypted: false,
        written: Promise.withResolvers(),
      }
      held = mine
      let plaintext: Uint8Array | undefined
      try {
        plaintext = await repository.decryptMessage(message)
        return plaintext
      } finally {
        mine.isDecrypted = true
        try {
          const notes = plaintext === undefined ? [] : await phone.keep(plaintext)
          if (Object.keys(mine.session).length > 0) await disk.setWith({ session: mine.session }, notes)
        } finally {
          if (held === mine) held = undefined
          mine.written.resolve()
        }
      }
    }

    return {
      ...repository,
      decryptMessage: (message) =>
        phone.is(message.jid) ? decryptOfPhone(message) : repository.decryptMessage(message),
    }
  }

/** Steps of the session with the phone that are not on disk yet. */
interface Held {
  addresses: ReadonlySet<string>
  session: NonNullable<SignalDataSet['session']>
  isDecrypted: boolean
  written: PromiseWithResolvers<void>
}

const heldOf = ({ session }: Held, ids: string[]) =>
  Object.fromEntries(ids.flatMap((id) => (session[id] == null ? [] : [[id, session[id]]])))

/** As libsignal names the phone: by number and, with the library's mark, by LID. */
function addressesOf({ pn, lid }: ReturnType<OwnPhone['users']>): ReadonlySet<string> {
  return new Set([...(pn === undefined ? [] : [`${pn}.0`]), ...(lid === undefined ? [] : [`${lid}_1.0`])])
}
