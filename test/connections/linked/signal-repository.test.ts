import { randomBytes } from 'node:crypto'
import {
  addTransactionCapability,
  Curve,
  encodeWAMessage,
  generateSignalPubKey,
  proto,
  unpadRandomMax16,
} from 'baileys'
import { expect, test } from 'vitest'
import { createSenderKeys } from '../../../server/connections/linked/groups/groups.ts'
import { createAuthState } from '../../../server/connections/linked/keys/auth-state.ts'
import { savingSessionsAtOnce } from '../../../server/connections/linked/keys/signal-repository.ts'
import { createLibraryLogger } from '../../../server/connections/linked/library/library-socket.ts'
import { systemClock } from '../../../server/lib/clock.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createVault } from '../../../server/lib/vault.ts'
import { createSignalDevice, type KeyBundle, type PublicKey } from '../../support/whatsapp-peer/signal.ts'
import { createWorld } from './world.ts'

const NO_PHONE = { is: () => false, users: () => ({ pn: undefined, lid: undefined }), keep: async () => [] }
const NO_CUSTOMERS = {
  is: () => false,
  lidOf: async () => null,
  take: async () => false,
  isTooMany: () => false,
  onUnreadable() {},
}
const JID = '6281234567890:7@s.whatsapp.net'

/** As the library reads it from WhatsApp's key server. */
const asFetched = ({ identity, signed, oneTime, registrationId }: KeyBundle & { oneTime: PublicKey }) => ({
  registrationId,
  identityKey: generateSignalPubKey(identity),
  signedPreKey: { keyId: signed.id, publicKey: generateSignalPubKey(signed.value), signature: signed.signature },
  preKey: { keyId: oneTime.id, publicKey: generateSignalPubKey(oneTime.value) },
})

test('a run after a crash in the middle of a send seals nothing in that session, and opens what is answered in it', async () => {
  const { store, senderId } = await createWorld()
  const vault = createVault(randomBytes(32))
  const logger = createLogger('silent')
  const phone = createSignalDevice()
  const { oneTime, ...bundle } = phone.bundle()
  if (oneTime === undefined) throw new Error('a simulated device always has keys')

  /** A run of the program: same store, new memory. */
  async function start() {
    const auth = createAuthState(senderId, store.sessions, vault, systemClock, logger)
    const library = createLibraryLogger(logger)
    const stored = await auth.load()
    const creds = stored ?? auth.fresh()
    if (stored === undefined) await auth.begin(creds, { sameAccount: true, former: undefined })
    const disk = auth.keysOf(creds)
    const keys = addTransactionCapability(disk, library, { maxCommitRetries: 1, delayBetweenTriesMs: 0 })
    let written: Promise<unknown> = Promise.resolve()
    const hold = (write: Promise<void>) => {
      written = write
    }
    const signal = savingSessionsAtOnce(disk, {
      senderKeys: createSenderKeys().records,
      phone: NO_PHONE,
      customers: NO_CUSTOMERS,
      hold,
      onLost() {},
      refuse: async () => undefined,
    })({ creds, keys }, library)
    /** Resolves when the frame may leave. */
    const seal = async (text: string) => {
      const sealed = await signal.encryptMessage({ jid: JID, data: encodeWAMessage({ conversation: text }) })
      await written
      return sealed
    }
    return { keys, creds, signal, seal }
  }
  const read = async ({ type, ciphertext }: Awaited<ReturnType<Awaited<ReturnType<typeof start>>['seal']>>) =>
    (await phone.open('shop', 1, { type, ciphertext: Buffer.from(ciphertext) })).conversation

  const first = await start()
  await first.signal.injectE2ESession({ jid: JID, session: asFetched({ ...bundle, oneTime }) })
  const crash = new Error('the power went')
  // The library writes the frame inside of a transaction; what it would store at the end of it is never stored.
  const send = first.keys.transaction(async () => {
    expect(await read(await first.seal('before'))).toBe('before')
    throw crash
  }, 'me')
  await expect(send).rejects.toBe(crash)

  const second = await start()
  await expect(second.seal('after')).rejects.toThrow('No open session')
  const answer = await phone.seal('shop', 1, { conversation: 'answer' }, () => {
    throw new Error('the phone has a session')
  })
  const opened = await second.signal.decryptMessage({ jid: JID, ...answer })
  expect(proto.Message.decode(unpadRandomMax16(opened)).conversation).toBe('answer')
  await expect(second.seal('after')).rejects.toThrow('No open session')

  const { oneTime: another, ...fresh } = phone.bundle()
  if (another === undefined) throw new Error('a simulated device always has keys')
  await second.signal.injectE2ESession({ jid: JID, session: asFetched({ ...fresh, oneTime: another }) })
  expect(await read(await second.seal('after'))).toBe('after')
})

test('a connection ends where the step after a message of a customer cannot be made', async () => {
  const { store, senderId } = await createWorld()
  const logger = createLogger('silent')
  const auth = createAuthState(senderId, store.sessions, createVault(randomBytes(32)), systemClock, logger)
  const creds = auth.fresh()
  await auth.begin(creds, { sameAccount: true, former: undefined })
  const keysOnDisk = auth.keysOf(creds)
  const oneTime = Curve.generateKeyPair()
  await keysOnDisk.set({ 'lid-mapping': { '77_reverse': '6281234567890' }, 'pre-key': { 1: oneTime } })
  let isTaken = false
  const disk: typeof keysOnDisk = {
    ...keysOnDisk,
    get: (...args) => (isTaken ? Promise.reject(new Error('unreadable')) : keysOnDisk.get(...args)),
  }
  const library = createLibraryLogger(logger)
  const seen: string[] = []
  const signal = savingSessionsAtOnce(disk, {
    senderKeys: createSenderKeys().records,
    phone: NO_PHONE,
    customers: {
      ...NO_CUSTOMERS,
      is: () => true,
      async take() {
        isTaken = true
        return true
      },
    },
    hold() {},
    onLost: () => void seen.push('lost'),
    refuse: async () => void seen.push('refused'),
  })({ creds, keys: addTransactionCapability(disk, library, { maxCommitRetries: 1, delayBetweenTriesMs: 0 }) }, library)
  const { keyId: id, keyPair, signature } = creds.signedPreKey
  const sealed = await createSignalDevice().seal('shop', 1, { conversation: 'halo' }, () => ({
    registrationId: creds.registrationId,
    identity: Buffer.from(creds.signedIdentityKey.public),
    signed: { id, value: Buffer.from(keyPair.public), signature: Buffer.from(signature) },
    oneTime: { id: 1, value: Buffer.from(oneTime.public) },
  }))
  await expect(signal.decryptMessage({ jid: '77:7@lid', ...sealed })).rejects.toThrow()
  expect(seen[0]).toBe('lost')
})
