import { expect, onTestFinished } from 'vitest'
import type { SenderView } from '../../server/contract/senders.ts'
import { type StartOptions, startApp } from './app.ts'
import { isShared } from './engine.ts'
import { type AccountOptions, startWhatsAppPeer } from './whatsapp-peer/index.ts'

export const SHOP = '6281111111111'
export const CUSTOMER = '6285555555555'

/**
 * Starts a shop's PC with a linked number: the real program, a phone, and a WhatsApp server on
 * 127.0.0.1.
 */
export async function startShop(
  options: StartOptions & { pacing?: SenderView['pacing']; account?: AccountOptions; fewKeys?: boolean } = {},
) {
  const peer = await startWhatsAppPeer({ fewKeys: options.fewKeys ?? true })
  onTestFinished(async () => {
    await peer.close()
    expect(peer.journal.messageKeys.usedTwice, 'message keys used twice').toEqual([])
  })
  const app = await startApp({
    ...options,
    env: { KURIR_WHATSAPP_URL: peer.url, KURIR_WHATSAPP_ROOT_KEY: peer.rootKeyHex, ...options.env },
    overrides: {
      retry: { waits: [50, 100, 200, 400] },
      // Random 0 makes waits before reconnecting as short as possible.
      random: () => 0,
      ...options.overrides,
      linked: {
        mediaDispatcher: peer.media.dispatcher,
        timeouts: { ack: 1_000, query: 1_000, connection: 3_000 },
        ...options.overrides?.linked,
      },
    },
  })
  const pacing = options.pacing ?? { min_seconds: 0, max_seconds: 0 }
  const sender = await app.sender('linked', { name: 'Toko Melati', pacing })
  const key = await app.key({ sender })
  const view = async (): Promise<SenderView> => (await app.owner<SenderView>(`/api/senders/${sender}`)).body.data

  /** Resolves with the sender's view as soon as `wanted` holds; checks at every reported change. */
  async function until(wanted: (view: SenderView) => boolean): Promise<SenderView> {
    for (;;) {
      const change = Promise.withResolvers<void>()
      const stop = app.app.bus.on('sender', () => change.resolve())
      const now = await view()
      if (wanted(now)) {
        stop()
        return now
      }
      await change.promise
      stop()
    }
  }

  const phone = peer.phone(SHOP, { name: 'Toko Melati', ...options.account })
  return {
    app,
    peer,
    phone,
    sender,
    key,
    view,
    until,
    state: (state: SenderView['state']) => until((now) => now.state === state),
    /** Links the number with the QR code from the API. */
    async link(): Promise<SenderView> {
      await app.owner(`/api/senders/${sender}/link`, { body: { method: 'qr' } })
      const { qr } = await until((now) => now.qr !== null)
      await phone.scan(qr ?? '')
      return until((now) => now.state === 'connected' && (now.first_contacts_wait_until === null || !phone.sendsChats))
    },
    /**
     * Lets another program take over the connection for good. With several nodes, the first
     * replacement could come from a node that stood still, so only a second one within a minute
     * counts.
     */
    async replace(): Promise<void> {
      await phone.replace()
      if (!isShared) return
      await until(({ reason }) => reason === 'connected_elsewhere')
      await until(({ state }) => state === 'connected')
      await phone.replace()
    },
    /** Calls `pause`, `resume` or `unlink`. */
    owner: (act: string) => app.owner(`/api/senders/${sender}/${act}`, { method: 'POST' }),
    /** Posts to /send and returns the message's id. */
    async send(fields: Record<string, unknown>): Promise<string> {
      const answer = await app.call<{ id: string }>(key, '/send', { phone: CUSTOMER, message: 'halo', ...fields })
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body.data.id
    },
  }
}
