import type { ConnectionsDeps } from '../../server/connections/index.ts'
import type { Overview } from '../../server/contract/overview.ts'
import type { SenderView } from '../../server/contract/senders.ts'
import { startApp } from '../support/app.ts'
import { startHttpServer } from '../support/http-server.ts'
import { startWhatsAppPeer } from '../support/whatsapp-peer/index.ts'
import type { Closed, Experience, Observed } from './judge.ts'
import { createDrillClock, createPlayer } from './player.ts'

const OWN_NUMBER = '6281111111111'
/** What WhatsApp names as its current build during the drill. */
export const CURRENT_BUILD = 1_049_000_000

interface Sent {
  id: string
  to: string
  text: string
  label: string
  who: Experience['who']
  at: number
}

interface Detail {
  status: string
  error: { code: string } | null
  timeline: { type: string; at?: string; occurred_at?: string }[]
}

export type DrillShop = Awaited<ReturnType<typeof openDrillShop>>

/** A shop with a linked number, on a clock that the drill moves, and WhatsApp's server beside it. */
export async function openDrillShop(
  start: number,
  env: Record<string, string> = {},
  linked: Partial<ConnectionsDeps['linked']> = {},
) {
  const clock = createDrillClock(start)
  const peer = await startWhatsAppPeer({ now: clock.now })
  const versions = await startHttpServer((_req, res) => res.end(`{"client_revision":${CURRENT_BUILD}}`))
  const app = await startApp({
    clock,
    env: {
      KURIR_WHATSAPP_URL: peer.url,
      KURIR_WHATSAPP_ROOT_KEY: peer.rootKeyHex,
      KURIR_WHATSAPP_VERSION_URL: versions.url,
      ...env,
    },
    overrides: { random: () => 0.5, linked: { mediaDispatcher: peer.media.dispatcher, ...linked } },
  })
  let events = 0
  let restarts = 0
  const listen = () => {
    app.app.bus.on('message', () => (events += 1))
    app.app.bus.on('linked_restart', () => (restarts += 1))
  }
  listen()
  const player = createPlayer(clock, () => peer.journal.activity + events)

  const code = await app.sender('linked', { name: 'Toko Melati', pacing: { min_seconds: 2, max_seconds: 2 } })
  const key = await app.key({ sender: code })
  const phone = peer.phone(OWN_NUMBER, { name: 'Toko Melati' })
  const sent: Sent[] = []
  const closed: Closed[] = []
  const view = async (): Promise<SenderView> => (await app.owner<SenderView>(`/api/senders/${code}`)).body.data

  async function link(): Promise<void> {
    await app.owner(`/api/senders/${code}/link`, { body: { method: 'qr' } })
    let qr = (await view()).qr
    for (; qr === null; qr = (await view()).qr) await player.quiet()
    await phone.scan(qr)
    while ((await view()).state !== 'connected') await player.quiet()
    await player.quiet()
  }

  async function post(message: Omit<Sent, 'id' | 'at'>): Promise<void> {
    const { to, text } = message
    const answer = await app.call<{ id: string }>(key, '/send', { phone: to, message: text })
    if (answer.status !== 200) throw new Error(answer.text)
    sent.push({ ...message, id: answer.body.data.id, at: clock.now() })
  }

  async function experience({ id, to, text, label, who, at }: Sent): Promise<Experience> {
    const { status, error, timeline } = (await app.owner<Detail>(`/api/messages/${id}`)).body.data
    const sentAt = timeline.find(({ type }) => type === 'sent')
    const arrived = new Set(
      (await peer.recipient(to).messages()).filter((one) => one.text === text).map((one) => one.id),
    )
    return {
      ...{ label, who, status, error: error?.code ?? null, acceptedAt: at, arrived: arrived.size },
      sentAt: sentAt === undefined ? null : Date.parse(sentAt.at ?? sentAt.occurred_at ?? ''),
    }
  }

  return {
    app,
    code,
    clock,
    peer,
    phone,
    view,
    /** What the owner's first page says of the number. */
    concerns: async () =>
      (await app.owner<Overview>('/api/overview')).body.data.concerns.filter(({ sender_code }) => sender_code === code),
    link,
    /** How often the program has made everything that it knows of the number again. */
    restarts: () => restarts,
    /** The owner switches the program off and on again. */
    async restart() {
      await app.restart()
      listen()
      await player.quiet()
    },
    resume: () => app.owner(`/api/senders/${code}/resume`, { method: 'POST' }),
    /** Somebody who wrote to the shop before. */
    async customer(number: string) {
      await peer.recipient(number).send('Halo, apakah buka?', OWN_NUMBER)
    },
    /** Posts a message to each of the numbers. */
    async send(label: string, who: Experience['who'], numbers: string[]) {
      for (const [index, to] of numbers.entries()) await post({ label, who, to, text: `${label} ${index + 1}` })
      await player.quiet()
    },
    /** Messages cannot leave for so long. */
    closes(ms: number, why: string, more: Partial<Pick<Closed, 'holds' | 'mostAttempts'>> = {}) {
      closed.push({ from: clock.now(), until: clock.now() + ms, why, holds: 'all', ...more })
    },
    passTo: player.passTo,
    pass: (ms: number) => player.passTo(clock.now() + ms),
    quiet: player.quiet,
    async observed(): Promise<Observed> {
      const experiences: Experience[] = []
      for (const message of sent) experiences.push(await experience(message))
      const wrong = new Set(sent.filter(({ who }) => who === 'wrong').map(({ to }) => `+${to}`))
      const lookUps = peer.journal.lookUps
        .filter(({ protocols }) => protocols.includes('contact'))
        .flatMap(({ at, users }) => users.map((user) => ({ at, wrong: wrong.has(user) })))
      return { experiences, closed, attempts: peer.journal.connections, lookUps }
    },
    async close() {
      await app.close()
      await peer.close()
      await versions.close()
    },
  }
}
