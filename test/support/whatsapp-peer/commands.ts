import { createAttacks } from './hostile.ts'
import type { AccountOptions, Acknowledge, Scope, WhatsAppPeer } from './index.ts'

/** Creates commands for a peer in another process. Arguments and results are plain data. */
export function createCommands(peer: WhatsAppPeer) {
  const { faults, journal } = peer
  return {
    describe: async () => ({ url: peer.url, rootKeyHex: peer.rootKeyHex, mediaCa: peer.mediaCa }),
    account: async (number: string, options: AccountOptions) => void peer.phone(number, options),
    scan: (number: string, qr: string) => peer.phone(number).scan(qr),
    enterCode: (number: string, code: string) => peer.phone(number).enterCode(code),
    unlink: async (number: string) => peer.phone(number).unlink(),
    garble: async (number: string) => peer.phone(number).garble(),
    disconnect: async (number: string, code: number) => peer.phone(number).disconnect(code),

    journal: async () => journal.messages,
    messageKeys: async () => ({ used: journal.messageKeys.used(), usedTwice: journal.messageKeys.usedTwice }),
    arrived: (count: number) => journal.arrived(count),
    messages: (number: string) => peer.recipient(number).messages(),
    write: (number: string, text: string, to: string) => peer.recipient(number).send(text, to),
    unreadable: async (number: string) => peer.recipient(number).unreadable,
    receipts: async (number: string, mode: 'auto' | 'deliver' | 'none') => {
      peer.recipient(number).receipts = mode
    },

    acknowledge: async (how: Acknowledge, scope?: Scope) => faults.acknowledge(how, scope),
    release: async () => faults.release(),
    freeze: async () => faults.freeze(),
    thaw: async () => faults.thaw(),
    attacks: async (owner: string) => Object.keys(createAttacks(peer, owner)),
    attack: async (owner: string, name: string) => createAttacks(peer, owner)[name]?.(),
    stop: () => peer.stop(),
    start: () => peer.start(),
    close: () => peer.close(),
  }
}
export type Commands = ReturnType<typeof createCommands>
