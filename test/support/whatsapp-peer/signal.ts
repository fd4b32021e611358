import { randomInt } from 'node:crypto'
import {
  Curve,
  encodeWAMessage,
  generateSignalPubKey,
  type KeyPair,
  proto,
  signedKeyPair,
  unpadRandomMax16,
  writeRandomPadMax16,
} from 'baileys'
import { ProtocolAddress, SessionBuilder, SessionCipher, type SessionRecord, type SignalStorage } from 'libsignal'
import './quiet-libsignal.ts'
import { createSenderKeys } from './sender-keys.ts'

export interface PublicKey {
  id: number
  value: Buffer
}

/** Keys that a sender fetches to begin a Signal session with a device. */
export interface KeyBundle {
  registrationId: number
  identity: Buffer
  signed: PublicKey & { signature: Buffer }
  oneTime: PublicKey | undefined
}

export interface Sealed {
  type: 'pkmsg' | 'msg'
  ciphertext: Buffer
}

const signalKey = (key: Uint8Array) => Buffer.from(generateSignalPubKey(key))
const toSignalPair = (pair: KeyPair) => ({ privKey: Buffer.from(pair.private), pubKey: signalKey(pair.public) })

/**
 * Creates a device with its own Signal identity. Its sessions last as long as the object, across
 * connections.
 */
export function createSignalDevice() {
  let identity = Curve.generateKeyPair()
  let registrationId = randomInt(1, 16_380)
  const preKeys = new Map<number, KeyPair>()
  const sessions = new Map<string, SessionRecord>()
  const senderKeys = createSenderKeys()
  let nextPreKeyId = 1
  // Created on first use, because libsignal signs in plain JavaScript, which takes milliseconds.
  let signedKey: ReturnType<typeof signedKeyPair> | undefined
  const signed = () => {
    signedKey ??= signedKeyPair(identity, 1)
    return signedKey
  }

  const storage: SignalStorage = {
    loadSession: async (address) => sessions.get(address),
    storeSession: async (address, record) => {
      sessions.set(address, record)
    },
    isTrustedIdentity: () => true,
    loadPreKey: async (id) => {
      const pair = preKeys.get(Number(id))
      return pair && toSignalPair(pair)
    },
    removePreKey: (id) => {
      preKeys.delete(id)
    },
    loadSignedPreKey: () => toSignalPair(signed().keyPair),
    getOurRegistrationId: () => registrationId,
    getOurIdentity: () => toSignalPair(identity),
  }
  /** Begins a session. An existing one can still decrypt incoming messages. */
  function begin(address: ProtocolAddress, { oneTime, signed: theirs, registrationId, identity }: KeyBundle) {
    if (!oneTime) throw new Error(`${address} has no one-time keys left on the server`)
    return new SessionBuilder(storage, address).initOutgoing({
      registrationId,
      identityKey: signalKey(identity),
      signedPreKey: { keyId: theirs.id, publicKey: signalKey(theirs.value), signature: theirs.signature },
      preKey: { keyId: oneTime.id, publicKey: signalKey(oneTime.value) },
    })
  }
  const cipher = (name: string, device: number) => new SessionCipher(storage, new ProtocolAddress(name, device))

  return {
    get identity() {
      return identity
    },
    get registrationId() {
      return registrationId
    },
    /** Simulates a new phone or a reinstallation: a new identity without sessions. */
    reinstall() {
      identity = Curve.generateKeyPair()
      registrationId = (registrationId % 16_380) + 1
      signedKey = undefined
      preKeys.clear()
      sessions.clear()
      senderKeys.forget()
    },
    /** Sender keys that others gave this device, to open their group messages. */
    senderKeys,

    /** Makes the next message begin a new session with the same identity. */
    forgetSessions: () => sessions.clear(),

    /** Returns another one-time key each time, as WhatsApp's key server does. */
    bundle(): KeyBundle {
      const id = nextPreKeyId++
      const oneTime = Curve.generateKeyPair()
      preKeys.set(id, oneTime)
      const { keyPair, keyId, signature } = signed()
      return {
        registrationId,
        identity: Buffer.from(identity.public),
        signed: { id: keyId, value: Buffer.from(keyPair.public), signature: Buffer.from(signature) },
        oneTime: { id, value: Buffer.from(oneTime.public) },
      }
    },

    /** Begins a new session with the keys from a retry receipt. */
    beginAgain: (name: string, device: number, bundle: KeyBundle) => begin(new ProtocolAddress(name, device), bundle),

    async open(name: string, device: number, sealed: Sealed): Promise<proto.Message> {
      const session = cipher(name, device)
      const padded =
        sealed.type === 'pkmsg'
          ? await session.decryptPreKeyWhisperMessage(sealed.ciphertext)
          : await session.decryptWhisperMessage(sealed.ciphertext)
      return proto.Message.decode(unpadRandomMax16(padded))
    },

    /** Encrypts for a device. Calls `fetchBundle` only if there is no session with it. */
    async seal(
      name: string,
      device: number,
      message: proto.IMessage | Buffer,
      fetchBundle: () => KeyBundle,
    ): Promise<Sealed> {
      const address = new ProtocolAddress(name, device)
      if (!sessions.get(address.toString())?.haveOpenSession()) {
        await begin(address, fetchBundle())
      }
      const { type, body } = await cipher(name, device).encrypt(
        message instanceof Uint8Array ? writeRandomPadMax16(message) : encodeWAMessage(message),
      )
      return { type: type === 3 ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body, 'binary') }
    },
  }
}
export type SignalDevice = ReturnType<typeof createSignalDevice>
