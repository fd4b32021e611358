import { randomBytes } from 'node:crypto'
import { addTransactionCapability, Curve, encodeWAMessage, type proto, unpadRandomMax16 } from 'baileys'
import signalCrypto from 'libsignal/src/crypto.js'
import { expect, onTestFinished, test } from 'vitest'
import { createSenderKeys } from '../../../server/connections/linked/groups/groups.ts'
import { createAuthState } from '../../../server/connections/linked/keys/auth-state.ts'
import type { StoredRecord } from '../../../server/connections/linked/keys/session-steps.ts'
import { savingSessionsAtOnce } from '../../../server/connections/linked/keys/signal-repository.ts'
import {
  MOST_KEPT_KEYS,
  MOST_RECEIVING_CHAINS,
  MOST_SESSIONS,
  MOST_SKIPPED,
} from '../../../server/connections/linked/library/bounds.ts'
import { limitSkippedKeys } from '../../../server/connections/linked/library/corrections.ts'
import { createLibraryLogger } from '../../../server/connections/linked/library/library-socket.ts'
import { systemClock } from '../../../server/lib/clock.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createVault } from '../../../server/lib/vault.ts'
import { forgedMessage } from '../../support/whatsapp-peer/hostile.ts'
import { createSignalDevice } from '../../support/whatsapp-peer/signal.ts'
import { createWorld } from './world.ts'

const JID = '6281234567890@s.whatsapp.net'
const NO_PHONE = { is: () => false, users: () => ({ pn: undefined, lid: undefined }), keep: async () => [] }

/** A shop, and a customer with a client of his own. */
async function stranger() {
  const { store, senderId } = await createWorld()
  limitSkippedKeys()
  const logger = createLogger('silent')
  const library = createLibraryLogger(logger)
  const auth = createAuthState(senderId, store.sessions, createVault(randomBytes(32)), systemClock, logger)
  const creds = auth.fresh()
  await auth.begin(creds, { sameAccount: true, former: undefined })
  const disk = auth.keysOf(creds)
  const keys = addTransactionCapability(disk, library, { maxCommitRetries: 1, delayBetweenTriesMs: 0 })
  const taken: string[] = []
  const customers = {
    is: () => true,
    lidOf: async () => null,
    async take(_: Uint8Array, { conversation }: proto.Message) {
      taken.push(conversation ?? '')
      return true
    },
    isTooMany: () => false,
    onUnreadable() {},
  }
  const signal = savingSessionsAtOnce(disk, {
    senderKeys: createSenderKeys().records,
    phone: NO_PHONE,
    customers,
    hold() {},
    onLost() {},
    refuse: async () => undefined,
  })({ creds, keys }, library)
  const device = createSignalDevice()
  let preKeys = 0

  return {
    taken,
    device,
    open: (type: 'msg' | 'pkmsg', ciphertext: Uint8Array) => signal.decryptMessage({ jid: JID, type, ciphertext }),
    /** The shop answers: what the customer writes from then on is in a new chain. */
    async answer() {
      const { type, ciphertext } = await signal.encryptMessage({
        jid: JID,
        data: encodeWAMessage({ conversation: 'yes' }),
      })
      await device.open('shop', 1, { type, ciphertext: Buffer.from(ciphertext) })
    },
    record: async () => (await disk.get('session', ['6281234567890.0']))['6281234567890.0'] as unknown as StoredRecord,
    /** A genuine message. */
    async write(text: string) {
      preKeys += 1
      const id = preKeys
      const oneTime = Curve.generateKeyPair()
      await disk.set({ 'pre-key': { [id]: oneTime } })
      const { keyPair, keyId, signature } = creds.signedPreKey
      const sealed = await device.seal('shop', 1, { conversation: text }, () => ({
        registrationId: creds.registrationId,
        identity: Buffer.from(creds.signedIdentityKey.public),
        signed: { id: keyId, value: Buffer.from(keyPair.public), signature: Buffer.from(signature) },
        oneTime: { id, value: Buffer.from(oneTime.public) },
      }))
      return { type: sealed.type, ciphertext: sealed.ciphertext }
    },
  }
}

/** Counts the keys that libsignal derives. */
function countKeys(): () => number {
  const { calculateMAC } = signalCrypto
  let count = 0
  signalCrypto.calculateMAC = (...args) => {
    count += 1
    return calculateMAC(...args)
  }
  onTestFinished(() => {
    signalCrypto.calculateMAC = calculateMAC
  })
  return () => count
}

test('a forged message of somebody who began many sessions costs no more than a few hundred keys', async () => {
  const { open, write, device, record } = await stranger()
  for (let n = 0; n < 42; n += 1) {
    device.forgetSessions()
    const { type, ciphertext } = await write(`session ${n}`)
    await open(type, ciphertext)
  }
  expect(Object.keys((await record())._sessions)).toHaveLength(MOST_SESSIONS)
  const keys = countKeys()
  await expect(open('msg', forgedMessage(1_999))).rejects.toThrow()
  await expect(open('msg', forgedMessage(MOST_SKIPPED - 1))).rejects.toThrow()
  // Two for each message that is missing, and a few for the chains themselves.
  expect(keys()).toBeLessThan(MOST_SESSIONS * 2 * (2 * MOST_SKIPPED + 50))

  const { type, ciphertext } = await write('still read')
  await open(type, ciphertext)
})

test('what a customer writes is read once: the library confirms an empty message', async () => {
  const { open, write, taken } = await stranger()
  const { type, ciphertext } = await write('halo')
  expect(unpadRandomMax16(await open(type, ciphertext))).toHaveLength(0)
  expect(taken).toEqual(['halo'])
})

test('of what a customer skips only the newest keys and chains are kept, and what comes late can be read', async () => {
  const { open, write, answer, record, taken } = await stranger()
  const late: Awaited<ReturnType<typeof write>>[] = []
  for (let chain = 0; chain < MOST_RECEIVING_CHAINS + 2; chain += 1) {
    late.push(await write(`late ${chain}`))
    for (let n = 0; n < MOST_SKIPPED - 10; n += 1) await write('never sent')
    const { type, ciphertext } = await write('far ahead')
    await open(type, ciphertext)
    await answer()
  }
  const chains = Object.values((await record())._sessions).flatMap(({ _chains }) => Object.values(_chains))
  expect(chains.filter(({ chainType }) => chainType === 2)).toHaveLength(MOST_RECEIVING_CHAINS)
  expect(chains.reduce((sum, chain) => sum + Object.keys(chain.messageKeys).length, 0)).toBe(MOST_KEPT_KEYS)

  const [oldest, newest] = [late[0], late.at(-1)]
  if (oldest === undefined || newest === undefined) throw new Error('none was written')
  await open(newest.type, newest.ciphertext)
  expect(taken.at(-1)).toContain(`late ${late.length - 1}`)
  await expect(open(oldest.type, oldest.ciphertext)).rejects.toThrow()
  const { type, ciphertext } = await write('still read')
  await open(type, ciphertext)
})
