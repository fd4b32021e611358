import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../server/composition/app.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { createUuid7 } from '../../server/lib/uuid7.ts'
import { readConfig } from '../../server/settings/config.ts'
import { describeFailure } from '../../server/words/errors.ts'
import { callbacks, statusError } from '../../test/support/graph-peer/callbacks.ts'
import { startGraphPeer } from '../../test/support/graph-peer/graph-peer.ts'
import { startHttpServer } from '../../test/support/http-server.ts'
import { newRow } from '../../test/support/new-message.ts'
import { startWhatsAppPeer } from '../../test/support/whatsapp-peer/index.ts'
import { type Line, NOT_ON_WHATSAPP, NOW, SHOP, tellStory } from './story.ts'
import { createStoryClock } from './story-clock.ts'

const PUBLIC_HOST = 'wa.tokomelati.example'
const OWNER_TOKEN = 'owner-token-of-the-pictures-0123456789'
const OFFICIAL = { phone_number_id: '106540352242922', waba_id: '102290129340398', app_secret: 'app-secret' }
const SECOND = 1000
const HOUR = 3600 * SECOND
const THIS_MORNING = NOW - 3 * HOUR
const RIPE = { sent: 1.3 * SECOND, delivered: 2.1 * SECOND, read: 48 * SECOND }

/** Fills in the template of an order that is ready. */
const pesananSiap = (name: string, reference: string) => ({
  name: 'pesanan_siap',
  language: 'id',
  components: [{ type: 'body', parameters: [name, reference].map((value) => ({ type: 'text', text: value })) }],
})

interface Made {
  sender_code: string
}

export type Shop = Awaited<ReturnType<typeof openShop>>

/**
 * Starts the real program with two weeks of history, and stand-ins for WhatsApp and Meta on
 * 127.0.0.1.
 */
export async function openShop() {
  const clock = createStoryClock()
  const story = tellStory(NOW)
  // Set the clock back before anything is created, because ids and times only ever rise.
  clock.set((story[0]?.at ?? NOW) - HOUR)
  const home = mkdtempSync(join(tmpdir(), 'kurir-pictures-'))
  const whatsapp = await startWhatsAppPeer({ now: clock.now })
  const graph = await startGraphPeer()
  const till = await startHttpServer((req, res) => void req.resume().on('end', () => res.end('ok')))
  const { config } = readConfig({
    KURIR_HOME: home,
    KURIR_PORT: '0',
    KURIR_WEBHOOK_PORT: '0',
    KURIR_OWNER_TOKEN: OWNER_TOKEN,
    KURIR_WHATSAPP_URL: whatsapp.url,
    KURIR_WHATSAPP_ROOT_KEY: whatsapp.rootKeyHex,
    KURIR_GRAPH_URL: graph.url,
  })
  const app = await createApp(config, {
    clock,
    logger: createLogger('silent'),
    pages: join(import.meta.dirname, '../../dist/renderer'),
    linked: { mediaDispatcher: whatsapp.media.dispatcher },
    // Route the shop's public name to Kurir, as its tunnel would; nothing leaves this PC.
    resolve: async () => ['127.0.0.1'],
    connect(options, done) {
      const port = options.host === PUBLIC_HOST ? new URL(app.webhookUrl()).port : options.port
      const socket = connect(Number(port), '127.0.0.1', () => done(null, socket))
      socket.once('error', (error) => done(error, null))
    },
  })
  await app.start()

  async function call(path: string, body?: object, method = 'POST'): Promise<Made> {
    const answer = await fetch(app.apiUrl() + path, {
      method,
      headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { data, message } = (await answer.json()) as { data: Made; message: string }
    if (!answer.ok) throw new Error(`${path}: ${message}`)
    return data
  }

  const messageOf = async (referenceId: string) => (await app.store.messages.list({ referenceId, limit: 1 }))[0]

  /** Resolves when the message with this reference has one of the statuses. */
  async function reached(reference: string, ...statuses: string[]): Promise<void> {
    for (;;) {
      const change = Promise.withResolvers<void>()
      const stop = app.bus.on('message', () => change.resolve())
      const isThere = statuses.includes((await messageOf(reference))?.status ?? '')
      if (!isThere) await change.promise
      stop()
      if (isThere) return
    }
  }

  async function linkedSender(): Promise<string> {
    const { sender_code: code } = await call('/api/senders', {
      kind: 'linked',
      name: 'Toko Melati',
      country_code: '62',
      pacing: { min_seconds: 0, max_seconds: 0 },
    })
    // Lenient, because the clock jumps from message to message and a strict server would call the
    // answers late.
    const phone = whatsapp.phone(SHOP, { name: 'Toko Melati', kind: 'lenient 2024' })
    const shown = Promise.withResolvers<string>()
    const connected = Promise.withResolvers<void>()
    async function look(): Promise<void> {
      const view = (await call(`/api/senders/${code}`, undefined, 'GET')) as Made & { qr: string | null; state: string }
      if (view.qr !== null) shown.resolve(view.qr)
      if (view.state === 'connected') connected.resolve()
    }
    const stop = app.bus.on('sender', () => void look())
    await call(`/api/senders/${code}/link`, { method: 'qr' })
    await phone.scan(await shown.promise)
    await connected.promise
    stop()
    return code
  }

  async function officialSender(): Promise<string> {
    graph.state.app.secret = OFFICIAL.app_secret
    graph.state.templates = ['pesanan_siap', 'tagihan_baru'].map((name, i) => ({
      id: String(i),
      name,
      language: 'id',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Halo {{1}}, pesanan {{2}} siap diambil di Toko Melati.' }],
    }))
    graph.state.number = {
      ...graph.state.number,
      verified_name: 'Toko Melati',
      display_phone_number: '+62 21 5550 1234',
    }
    const { sender_code: code } = await call('/api/senders', {
      kind: 'official',
      name: 'Toko Melati (resmi)',
      ...OFFICIAL,
      access_token: graph.token,
      verify_token: 'melati',
    })
    return code
  }

  const linked = await linkedSender()
  const official = await officialSender()
  const meta = callbacks({ to: app.webhookUrl(), appSecret: OFFICIAL.app_secret })
  whatsapp.unknownNumber(NOT_ON_WHATSAPP)

  async function standard({ phone, text, reference, fate, at }: Line): Promise<void> {
    const recipient = fate === 'failed' ? undefined : whatsapp.recipient(phone)
    if (recipient !== undefined) recipient.receipts = 'none'
    await call('/send', { phone, message: text, reference_id: reference, sender_code: linked })
    await reached(reference, 'sent', 'failed')
    const id = (await messageOf(reference))?.providerMessageId ?? ''
    if (fate === 'delivered' || fate === 'read') {
      await recipient?.next()
      clock.set(at + RIPE.delivered)
      recipient?.deliver(id)
      await reached(reference, 'delivered')
    }
    if (fate === 'read') {
      clock.set(at + RIPE.read)
      recipient?.read(id)
      await reached(reference, 'read')
    }
  }

  async function template({ phone, name, reference, fate, at }: Line): Promise<void> {
    await call('/waba/send-template', {
      phone,
      template_name: 'pesanan_siap',
      parameters: [name, reference],
      reference_id: reference,
      sender_code: official,
    })
    const wamid = (await messageOf(reference))?.providerMessageId ?? ''
    const pricing = { billable: true, pricing_model: 'PMP', category: 'utility' }
    const errors = [statusError(131026, 'Message undeliverable', 'Message undeliverable.')]
    const report = (status: string, after: number, more = {}) => {
      clock.set(at + after)
      return meta.status({ wamid, status, at: at + after, recipient: phone, ...more })
    }
    if (fate === 'failed') await report('failed', RIPE.sent, { errors })
    else await report('sent', RIPE.sent, { pricing })
    if (fate === 'delivered' || fate === 'read') await report('delivered', RIPE.delivered)
    if (fate === 'read') await report('read', RIPE.read)
    await reached(reference, fate)
  }

  const newId = createUuid7(clock.now)

  /** Stores a finished message of an earlier day directly, so that two weeks take only a second. */
  async function remember({ channel, phone, name, text, reference, fate, at }: Line): Promise<void> {
    clock.set(at)
    const id = newId()
    const isTemplate = channel === 'template'
    await app.store.messages.accept(
      newRow({
        id,
        ...{ senderId: app.store.senders.byCode(isTemplate ? official : linked)?.id ?? 0, channel, recipient: phone },
        ...{ body: isTemplate ? null : text, referenceId: reference, createdAt: at, nextAt: null },
        template: isTemplate ? pesananSiap(name, reference) : null,
      }),
      { unique: false },
    )
    const steps = { sent: ['sent'], delivered: ['sent', 'delivered'], read: ['sent', 'delivered', 'read'] } as const
    const failed = { status: 'failed', at, error: describeFailure('recipient_not_on_whatsapp') } as const
    if (fate === 'failed') await app.store.messages.change({ id }, () => failed)
    else
      for (const status of steps[fate])
        await app.store.messages.change({ id }, () => ({ status, at: at + RIPE[status] }))
  }

  await call(
    '/api/settings',
    { onboarded: true, language: 'en', public_webhook_url: `https://${PUBLIC_HOST}` },
    'PATCH',
  )
  for (const line of story.filter(({ at }) => at < THIS_MORNING)) await remember(line)
  await call('/api/keys', { kind: 'global', name: 'Kasir' })
  await call('/api/webhooks', { url: `${till.url}/kurir` })
  for (const line of story.filter(({ at }) => at >= THIS_MORNING)) {
    clock.set(line.at)
    await (line.channel === 'standard' ? standard(line) : template(line))
  }
  clock.set(NOW)
  const reminder = 'Halo Ayu, tagihan INV-1102 jatuh tempo besok. Abaikan bila sudah dibayar. 🙏'
  await call('/send', { phone: '6281388205516', message: reminder, sender_code: linked, delay: 5400 })
  await call(`/api/senders/${official}/check`)

  return {
    url: app.apiUrl(),
    link: app.newWindowLink().url,
    call,
    linked,
    async close(): Promise<void> {
      await app.close()
      await Promise.all([whatsapp.close(), graph.close(), till.close()])
      rmSync(home, { recursive: true, force: true })
    },
  }
}
