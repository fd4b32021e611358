import type { LinkedOverrides } from '../../server/connections/context.ts'
import type { Overview } from '../../server/contract/operation.ts'
import type { SenderView } from '../../server/contract/senders.ts'
import { startApp } from '../support/app.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { startHttpServer } from '../support/http-server.ts'
import { type GroupControl, startWhatsAppPeer, type WhatsAppPeer } from '../support/whatsapp-peer/index.ts'
import type { Closed, Experience, Known, Observed } from './judge.ts'
import { createDrillClock, createPlayer } from './player.ts'

const OWN_NUMBER = '6281111111111'
/** What WhatsApp names as its current build during the drill. */
export const CURRENT_BUILD = 1_049_000_000

interface Sent {
  id: string
  /** A number, or a group's id. */
  to: string
  /** Who is to read it: `to`, or the members of the group. */
  readers: string[]
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
export async function openDrillShop(start: number, env: Record<string, string> = {}, linked: LinkedOverrides = {}) {
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
  const authenticator = createAuthenticator()
  const sent: Sent[] = []
  const closed: Closed[] = []
  const view = async (): Promise<SenderView> => (await app.owner<SenderView>(`/api/senders/${code}`)).body.data

  async function passkeyAt(step: 'asked' | 'compare') {
    let { linking } = await view()
    for (; linking?.passkey?.step !== step; linking = (await view()).linking) await player.quiet()
    return { options: linking.passkey.options, code: linking.passkey_code }
  }
  /** The owner gives the passkey so long after WhatsApp has asked; later, a code is compared. */
  async function givePasskey(after: number): Promise<void> {
    const path = `/api/senders/${code}/link/passkey`
    const { options } = await passkeyAt('asked')
    await player.passTo(clock.now() + after)
    const answer = await app.owner(path, { body: authenticator.sign(options) })
    if (answer.status >= 300) throw new Error(answer.text)
    if (phone.passkey.isProved) return
    const { code: shown } = await passkeyAt('compare')
    if (shown !== (await phone.passkey.code)) throw new Error('another code than that of the phone')
    await app.owner(`${path}/confirm`, { method: 'POST' })
    phone.passkey.confirmCode()
  }

  async function link({ passkeyAfter = 0 } = {}): Promise<void> {
    await app.owner(`/api/senders/${code}/link`, { body: { method: 'qr' } })
    let qr = (await view()).qr
    for (; qr === null; qr = (await view()).qr) await player.quiet()
    if ((await phone.scan(qr)) === 'passkey') await givePasskey(passkeyAfter)
    while ((await view()).state !== 'connected') await player.quiet()
    await player.quiet()
  }

  async function post(message: Omit<Sent, 'id' | 'at'>): Promise<void> {
    const { to, text } = message
    const recipient = to.endsWith('@g.us') ? { group: to } : { phone: to }
    const answer = await app.call<{ id: string }>(key, '/send', { ...recipient, message: text })
    if (answer.status >= 300) throw new Error(answer.text)
    sent.push({ ...message, id: answer.body.data.id, at: clock.now() })
  }

  async function experience({ id, readers, text, label, who, at }: Sent): Promise<Experience> {
    const { status, error, timeline } = (await app.owner<Detail>(`/api/messages/${id}`)).body.data
    const { providerMessageId } = await app.message(id)
    const sentAt = timeline.find(({ type }) => type === 'sent')
    const arrived = await Promise.all(
      readers.map(async (number) => {
        const messages = await peer.recipient(number).messages()
        return new Set(messages.filter((one) => one.text === text).map((one) => one.id)).size
      }),
    )
    return {
      ...{ label, who, status, error: error?.code ?? null, acceptedAt: at },
      // A group has it when every member has it.
      arrived: arrived.includes(0) ? 0 : Math.max(...arrived),
      known: knownOf(peer, providerMessageId, readers),
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
      for (const [index, to] of numbers.entries()) {
        await post({ label, who, to, readers: [to], text: `${label} ${index + 1}` })
      }
      await player.quiet()
    },
    /** Resolves when nothing of what was posted waits, for its pace as well, or is on its way. */
    async allLeft() {
      const isOnTheWay = async ({ id }: Sent) => ['queued', 'sending'].includes((await app.message(id)).status)
      for (const message of sent) while (await isOnTheWay(message)) await player.passTo(clock.now() + 1000)
    },
    async sendToGroup(text: string, { jid, members }: GroupControl) {
      const readers = members.filter((number) => number !== OWN_NUMBER)
      await post({ label: text, who: 'known', to: jid, readers, text })
      await player.quiet()
    },
    /** From now on WhatsApp wants a passkey before it links the number. */
    asksForPasskey: () => peer.phone(OWN_NUMBER, { passkey: 'asked', authenticator }),
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
      return { experiences, closed, attempts: peer.journal.connections, lookUps, slips: slipsOf(peer, phone.pending) }
    },
    async close() {
      await app.close()
      await peer.close()
      await versions.close()
    },
  }
}

/** WhatsApp's word on a message: what the shop's number may say of it, and nothing else. */
function knownOf({ journal }: WhatsAppPeer, id: string | null, readers: string[]): Known {
  const told = (...what: string[]) =>
    readers.every((by) => journal.told.some((one) => one.id === id && one.by === by && what.includes(one.what)))
  if (told('read')) return 'read'
  if (told('read', 'delivered')) return 'delivered'
  return journal.messages.some((one) => one.id === id && one.acked && one.error === undefined) ? 'sent' : 'nothing'
}

/** Everything of the number that no client of WhatsApp's does, in words. */
function slipsOf({ journal }: WhatsAppPeer, { unconfirmed, refused, withheld }: Record<string, number>): string[] {
  const counts = {
    'stanzas without an answer': unconfirmed,
    'stanzas refused': refused,
    'stanzas kept back': withheld,
    'answers to nothing': journal.needless.length,
    'answers to retry receipts as no client writes them': journal.oddAnswers.length,
    'presences that show the owner online': journal.online.length,
    'message keys used twice': journal.messageKeys.usedTwice.length,
    'questions that WhatsApp does not know': journal.unanswered.length,
  }
  return Object.entries(counts).flatMap(([what, count]) => (count ? [`${count} ${what}`] : []))
}
