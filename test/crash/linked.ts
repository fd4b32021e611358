import { eventually } from '../support/eventually.ts'
import { startPeerProcess } from '../support/whatsapp-peer/process.ts'
import type { Arrival } from './judge.ts'
import { ask, type Program } from './program.ts'
import type { Variant } from './rounds.ts'

const SHOP = '6281111111111'
const CUSTOMERS = ['6285555555501', '6285555555502', '6285555555503']

interface View {
  state: string
  qr: string | null
}

export type LinkedShop = Awaited<ReturnType<typeof startLinkedShop>>

/** A shop with a linked number. WhatsApp's server and the customers' phones outlive every crash of Kurir. */
export async function startLinkedShop() {
  const peer = await startPeerProcess({ fewKeys: true })

  async function until(program: Program, code: string, holds: (view: View) => boolean): Promise<View> {
    const look = () => ask<View>(program, `/api/senders/${code}`)
    await eventually(async () => holds(await look()))
    return look()
  }

  const variant: Variant = {
    env: { KURIR_WHATSAPP_URL: peer.url, KURIR_WHATSAPP_ROOT_KEY: peer.rootKeyHex },
    async prepare(program) {
      const { sender_code: code } = await ask<{ sender_code: string }>(program, '/api/senders', {
        kind: 'linked',
        name: 'Toko Melati',
        pacing: { min_seconds: 0, max_seconds: 0 },
      })
      await ask(program, `/api/senders/${code}/link`, { method: 'qr' })
      const { qr } = await until(program, code, (view) => view.qr !== null)
      await peer.call('scan', SHOP, qr ?? '')
      await until(program, code, ({ state }) => state === 'connected')
      return code
    },
    phoneOf: (n) => CUSTOMERS[n % CUSTOMERS.length] ?? SHOP,
  }

  return {
    variant,
    journal: () => peer.call('journal'),
    messageKeys: () => peer.call('messageKeys'),
    /** The number gets a frame that it cannot open. */
    garble: () => peer.call('garble', SHOP),
    /** What the customers' phones got, one customer after the other. */
    async arrivals(): Promise<Arrival[]> {
      const all: Arrival[] = []
      for (const customer of CUSTOMERS) all.push(...(await peer.call('messages', customer)))
      return all
    },
    close: peer.close,
  }
}
