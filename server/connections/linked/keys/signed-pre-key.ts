import {
  type AuthenticationCreds,
  type KeyPair,
  S_WHATSAPP_NET,
  type SignalCreds,
  signedKeyPair,
  type WASocket,
  xmppSignedPreKey,
} from 'baileys'
import protobuf from 'protobufjs/minimal.js'
import { type Clock, DAY } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import { refusalOf } from '../library/questions.ts'
import type { AuthState } from './auth-state.ts'

type SignedPreKey = AuthenticationCreds['signedPreKey']

/** State of the renewal. It is a member of the credentials, so that one write stores both. */
interface Rotation {
  /** When the signed pre-key was last renewed, in milliseconds since 1970. */
  at: number
  /** Key that is offered to WhatsApp, which may have it already; null: none is. */
  next: SignedPreKey | null
  /** Earlier keys, the newest first. Messages that were encrypted to them may still come. */
  former: SignedPreKey[]
}

type Creds = AuthenticationCreds & { rotation?: Rotation }

/** WhatsApp Web's interval (whatsapp-rust d1fe9fe9, rotate_key.rs). */
const RENEWED_AFTER = 27 * DAY
/** Most earlier keys that are kept, as in whatsapp-rust. */
const MOST_FORMER = 2
const LARGEST_ID = 0xff_ff_ff

/** Returns the signed pre-key to which a message was encrypted; undefined: unknown. */
export function signedPreKeyFor(
  ciphertext: Uint8Array,
  creds: SignalCreds & { rotation?: Rotation },
): SignedPreKey | undefined {
  const id = signedPreKeyIdIn(ciphertext)
  const { next = null, former = [] } = creds.rotation ?? {}
  return [creds.signedPreKey, ...(next === null ? [] : [next]), ...former].find(({ keyId }) => keyId === id)
}

const ID_FIELD = 6

/** Reads the key id in a PreKeySignalMessage: a byte with the version, then protocol buffers. */
function signedPreKeyIdIn(ciphertext: Uint8Array): number | undefined {
  try {
    const reader = protobuf.Reader.create(ciphertext.subarray(1))
    while (reader.pos < reader.len) {
      const tag = reader.uint32()
      if (tag >>> 3 === ID_FIELD) return reader.uint32()
      reader.skipType(tag & 7)
    }
  } catch {
    // The library parses the message too, and reports the error.
  }
  return undefined
}

/**
 * Renews the signed pre-key, as WhatsApp Web does. The new key is on disk before WhatsApp gets it,
 * and is offered again until WhatsApp accepts or refuses it. So messages can be read whichever of
 * the two keys WhatsApp gives to their authors.
 */
export function createSignedPreKey({
  auth,
  live,
  clock,
  logger,
}: {
  auth: AuthState
  live(): WASocket | undefined
  clock: Clock
  logger: Logger
}) {
  let running: Promise<void> | undefined
  let cancel = (): void => {}

  async function renew(sock: WASocket): Promise<void> {
    const creds: Creds = sock.authState.creds
    const write = (rotation: Rotation, more: Partial<AuthenticationCreds> = {}): Promise<void> => {
      // The identity may have been given up meanwhile.
      if (live() !== sock) throw new Error('the connection has ended')
      Object.assign(creds, more, { rotation })
      return auth.save(creds)
    }
    const { rotation } = creds
    // A new link has no rotation yet. The age of its key counts from here.
    if (rotation === undefined) return write({ at: clock.now(), next: null, former: [] })
    if (clock.now() - rotation.at < RENEWED_AFTER) return
    const current = creds.signedPreKey
    const largestId = Math.max(...[current, ...rotation.former].map(({ keyId }) => keyId))
    const next = rotation.next ?? (await newKey(creds.signedIdentityKey, largestId))
    await write({ ...rotation, next })
    const refusal = await offer(sock, next)
    if (refusal === undefined) {
      const former = [current, ...rotation.former].slice(0, MOST_FORMER)
      await write({ at: clock.now(), next: null, former }, { signedPreKey: next })
    } else {
      logger.warn({ refusal }, 'WhatsApp takes no new signed pre-key')
      const at = refusal < 500 ? clock.now() : clock.now() - RENEWED_AFTER + DAY
      // WhatsApp will never accept this key. It joins the former keys, because WhatsApp may have
      // got and given it out after an earlier offer without an answer.
      const isWrong = refusal === 406 || refusal === 409
      const former = isWrong ? [next, ...rotation.former].slice(0, MOST_FORMER) : rotation.former
      await write({ at, next: isWrong ? null : next, former })
    }
  }

  function look(): void {
    cancel()
    cancel = clock.after(DAY, look)
    const sock = live()
    if (sock === undefined || running !== undefined) return
    running = renew(sock)
      .catch((err: unknown) => logger.debug({ err }, 'the signed pre-key could not be renewed yet'))
      .finally(() => {
        running = undefined
      })
  }

  return {
    onUp: look,
    /** Stops the timer. A running renewal writes nothing once the connection has ended. */
    stop: (): void => cancel(),
  }
}

const newKey = async (identity: KeyPair, before: number): Promise<SignedPreKey> =>
  signedKeyPair(identity, before >= LARGEST_ID ? 1 : before + 1)

/**
 * Offers a key to WhatsApp. Resolves with the code of the refusal; undefined: WhatsApp accepted it.
 * @throws if there is no answer; WhatsApp may have accepted the key or not
 */
async function offer(sock: WASocket, key: SignedPreKey): Promise<number | undefined> {
  try {
    const answer: unknown = await sock.query({
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'encrypt' },
      content: [{ tag: 'rotate', attrs: {}, content: [xmppSignedPreKey(key)] }],
    })
    if (answer === undefined) throw new Error('WhatsApp does not answer')
    return undefined
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal !== null) return refusal
    throw error
  }
}
