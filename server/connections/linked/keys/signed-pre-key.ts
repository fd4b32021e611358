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

/** Member of the credentials, so that one write keeps all of it. */
interface Rotation {
  /** When the signed pre-key was last renewed, in milliseconds since 1970. */
  at: number
  /** On its way to WhatsApp, which may have it already. */
  next: SignedPreKey | null
  /** Earlier ones, the newest first: messages that were sealed to them may still come. */
  former: SignedPreKey[]
}

type Creds = AuthenticationCreds & { rotation?: Rotation }

/** WhatsApp Web's (whatsapp-rust d1fe9fe9, rotate_key.rs). */
const RENEWED_AFTER = 27 * DAY
/** Kept beside the current one, as in whatsapp-rust. */
const MOST_FORMER = 2
const LARGEST_ID = 0xff_ff_ff

/** The signed pre-key that a message was sealed to; undefined: none that is known. */
export function signedPreKeyFor(
  ciphertext: Uint8Array,
  creds: SignalCreds & { rotation?: Rotation },
): SignedPreKey | undefined {
  const id = signedPreKeyIdIn(ciphertext)
  const { next = null, former = [] } = creds.rotation ?? {}
  return [creds.signedPreKey, ...(next === null ? [] : [next]), ...former].find(({ keyId }) => keyId === id)
}

const ID_FIELD = 6

/** Reads a PreKeySignalMessage: a byte with the version, then protocol buffers. */
function signedPreKeyIdIn(ciphertext: Uint8Array): number | undefined {
  try {
    const reader = protobuf.Reader.create(ciphertext.subarray(1))
    while (reader.pos < reader.len) {
      const tag = reader.uint32()
      if (tag >>> 3 === ID_FIELD) return reader.uint32()
      reader.skipType(tag & 7)
    }
  } catch {
    // The library makes the same attempt, and says what is wrong.
  }
  return undefined
}

/**
 * Renews the signed pre-key, as WhatsApp Web does. The new one is on disk before WhatsApp gets it,
 * and is offered again until WhatsApp has said yes or no: whichever of the two it gives to those
 * who write, their messages can be read.
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
    // A link of an earlier version: its key is as old as that.
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
      // It takes this key never. An earlier attempt without an answer may have given it away.
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
    /** The connection is open. */
    onUp: look,
    /** Asks no more; nothing is written when the connection has ended. */
    stop: (): void => cancel(),
  }
}

const newKey = async (identity: KeyPair, before: number): Promise<SignedPreKey> =>
  signedKeyPair(identity, before >= LARGEST_ID ? 1 : before + 1)

/**
 * Resolves with the code of WhatsApp's refusal; undefined: it has taken the key.
 * @throws without an answer: it may have taken it or not
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
