import { createHmac } from 'node:crypto'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { callbacks, type Signing, type StatusOptions, statusError } from '../../support/graph-peer/callbacks.ts'
import { newRow } from '../../support/new-message.ts'
import { APP_SECRET, addOfficial, applied, sendTemplate, startOfficial, VERIFY_TOKEN } from '../../support/official.ts'
import { startReceiver } from '../../support/receiver.ts'
import { rowsIn } from '../../support/rows-in.ts'

const stored = (app: TestApp): Promise<number> => rowsIn(app, 'meta_inbox')

const sent = async (app: TestApp) => (await sendTemplate(app)).body.data

describe('who may call', () => {
  it('the handshake answers the bare challenge to who knows the verify token', async () => {
    const { meta } = await startOfficial()
    expect(await meta.handshake({ verifyToken: VERIFY_TOKEN, challenge: '42' })).toEqual({ status: 200, body: '42' })
    expect((await meta.handshake({ verifyToken: 'wrong' })).status).toBe(403)
    expect((await meta.handshake({})).status).toBe(403)
    expect((await meta.handshake({ verifyToken: VERIFY_TOKEN, mode: 'unsubscribe' })).status).toBe(403)
  })

  it.each<[Signing]>([['wrong'], ['missing'], ['truncated'], ['sha256='], ['sha256=zz']])(
    'a %s signature is refused and nothing is stored',
    async (signing) => {
      const { app, meta } = await startOfficial()
      const { id, messageId } = await sent(app)
      expect((await meta.status({ wamid: messageId, status: 'read' }, signing)).status).toBe(401)
      expect(await stored(app)).toBe(0)
      expect((await app.message(id)).status).toBe('accepted')
    },
  )

  it('callers without a right signature do not fill the log', async () => {
    const { app, meta } = await startOfficial()
    for (let n = 0; n < 20; n += 1) await meta.raw('{}', n % 2 === 0 ? 'wrong' : 'missing')
    expect(app.logs().match(/without a right signature/g)).toHaveLength(1)
  })

  it("another sender's app cannot move a message, nor make its status look like a repeat", async () => {
    const { app, meta } = await startOfficial()
    const { id, messageId } = await sent(app)
    await addOfficial(app, { phone_number_id: '999', waba_id: '888', app_secret: 'secret of another app' })
    const other = callbacks({ to: app.app.webhookUrl(), appSecret: 'secret of another app' })
    const status: StatusOptions = { wamid: messageId, status: 'read', callbackData: id }
    expect((await other.status(status)).status).toBe(200)
    await applied(app)
    expect((await app.message(id)).status).toBe('accepted')
    await meta.status(status)
    await app.reached(id, 'read')
  })

  it('a status that names another number moves nothing', async () => {
    const { app, meta } = await startOfficial()
    const { id, messageId } = await sent(app)
    const stranger = callbacks({ to: app.app.webhookUrl(), appSecret: APP_SECRET, phoneNumberId: '999' })
    await stranger.status({ wamid: messageId, status: 'failed', callbackData: id })
    await applied(app)
    expect((await app.message(id)).status).toBe('accepted')
    await meta.status({ wamid: messageId, status: 'sent' })
    await app.reached(id, 'sent')
  })

  it.each([
    ['broken JSON', '{"entry": [', 400],
    ['no JSON at all', Buffer.from([0xff, 0xfe]), 400],
    ['JSON nested far too deep', '['.repeat(100_000) + ']'.repeat(100_000), 400],
    ['4 MB', `{"pad":"${'x'.repeat(4_000_000)}"}`, 413],
  ])('%s is refused and nothing is stored', async (_name, body, status) => {
    const { app, meta } = await startOfficial()
    expect((await meta.raw(body)).status).toBe(status)
    expect(await stored(app)).toBe(0)
  })

  it('takes 3 MB, under any host name, and serves nothing else', async () => {
    const { app, meta } = await startOfficial()
    expect((await meta.raw(`{"pad":"${'x'.repeat(3_000_000)}"}`)).status).toBe(200)
    const url = new URL(app.app.webhookUrl())
    for (const path of ['/', '/send', '/health', '/api/senders', '/waba/send-template']) {
      expect((await fetch(new URL(path, url))).status).toBe(404)
    }
    const other = await fetch(url, { method: 'DELETE' })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, POST'])
    expect((await app.fetch('/waba/webhook', { body: {} })).status).toBe(404)
    const body = '{"object":"whatsapp_business_account","entry":[]}'
    const signature = `sha256=${createHmac('sha256', APP_SECRET).update(body).digest('hex')}`
    const tunnel = await request(url, {
      method: 'POST',
      body,
      headers: { host: 'shop.example.com', 'x-hub-signature-256': signature },
    })
    expect(tunnel.statusCode).toBe(200)
    await tunnel.body.dump()
  })

  it('refuses every call while there is no official sender', async () => {
    const app = await startApp()
    const meta = callbacks({ to: app.app.webhookUrl(), appSecret: '' })
    expect((await meta.status({ wamid: 'w', status: 'read' })).status).toBe(401)
    expect((await meta.handshake({ verifyToken: '' })).status).toBe(403)
  })
})

describe('a status', () => {
  it('10,000 statuses in random order with repeats and gaps lead to the right end, with each callback once', async () => {
    const { app, code, meta } = await startOfficial()
    const receiver = await startReceiver()
    await app.owner('/api/webhooks', { body: { url: receiver.url, events: ['message.read', 'message.failed'] } })
    const { store } = app.app
    const senderId = store.senders.byCode(code)?.id ?? 0
    const linkedId = store.senders.byCode('SND-SANDBOX')?.id ?? 0
    const row = (n: number, ofSender: number) =>
      newRow({
        id: `m-${ofSender}-${n}`,
        senderId: ofSender,
        channel: 'template',
        status: 'accepted',
        // Older ones would be removed where the test takes longer than the first minute of the program.
        createdAt: Date.now(),
        nextAt: null,
        providerMessageId: `wamid.${n}`,
      })
    // More than are applied at once, several times over, and more bodies than are read together.
    const count = 2_000
    // Messages of another sender with the same ids of Meta must not change.
    await Promise.all(
      Array.from({ length: count }, (_, n) => store.messages.accept(row(n, senderId), { unique: false })),
    )
    await Promise.all(Array.from({ length: 50 }, (_, n) => store.messages.accept(row(n, linkedId), { unique: false })))

    const ends = ['sent', 'delivered', 'read', 'failed', 'delivered', 'read', 'read'] as const
    const plan = (n: number): StatusOptions['status'][] => {
      const wamidEnds = ends[n % ends.length]
      if (wamidEnds === 'failed') return ['sent', 'failed', 'failed']
      if (wamidEnds === 'sent') return ['sent', 'sent']
      // If both delivered and failed come, delivered wins.
      if (wamidEnds === 'delivered') return n % 2 === 0 ? ['sent', 'delivered'] : ['failed', 'delivered', 'delivered']
      return n % 3 === 0 ? ['read', 'read'] : ['sent', 'delivered', 'read', 'sent']
    }
    const wanted = (n: number) => ends[n % ends.length]
    const statuses = Array.from({ length: count }, (_, n) => plan(n).map((status) => ({ wamid: `wamid.${n}`, status })))
    const flat = statuses.flat()
    while (flat.length < 10_000) flat.push(flat[(flat.length * 7919) % flat.length] as (typeof flat)[number])
    shuffle(flat)
    const bodies = Array.from({ length: 20 }, (_, i) => flat.slice(i * 500, (i + 1) * 500))
    const answers = await Promise.all(bodies.map((body) => meta.statuses(body)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await applied(app)

    const message = (n: number, of = senderId) => app.message(`m-${of}-${n}`)
    for (let n = 0; n < count; n += 1) expect([n, (await message(n)).status]).toEqual([n, wanted(n)])
    for (let n = 0; n < 50; n += 1) expect((await message(n, linkedId)).status).toBe('accepted')
    const all = Array.from({ length: count }, (_, n) => n)
    const reads = all.filter((n) => wanted(n) === 'read')
    const reported = await receiver.until(
      (calls) => calls.filter(({ event }) => event.type === 'message.read').length >= reads.length,
    )
    const ids = reported.map(({ event }) => `${event.type} ${String(event.data.id)}`)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => id.startsWith('message.read'))).toHaveLength(reads.length)
    // Repeated bodies change nothing.
    await meta.statuses(bodies[0] ?? [])
    expect(await stored(app)).toBe(bodies.length)
  })

  it('a status before its message id is known waits, and is reported in order', async () => {
    const { app, peer, meta } = await startOfficial()
    const held = peer.holdNext()
    const answer = sendTemplate(app)
    const { wamid } = await held.arrived
    await meta.statuses([
      { wamid, status: 'read' },
      { wamid, status: 'sent' },
      { wamid, status: 'delivered' },
    ])
    await applied(app)
    held.release()
    const { id } = (await answer).body.data
    await app.reached(id, 'read')
    const { timeline } = (await app.owner<MessageDetail>(`/messages/${id}`)).body.data
    expect(
      timeline
        .map(({ type }) => type)
        .filter((type) => type !== 'attempt')
        .toSorted(),
    ).toEqual(['accepted', 'delivered', 'read', 'sending', 'sent'])
  })

  it('read without delivered reports only what Meta reported, at the time that Meta says', async () => {
    const { app, meta } = await startOfficial()
    const { id, messageId } = await sent(app)
    const at = Date.UTC(2026, 10, 21, 9, 30, 1)
    await meta.status({ wamid: messageId, status: 'read', at, pricing: { category: 'utility', billable: true } })
    await app.reached(id, 'read')
    await meta.status({ wamid: messageId, status: 'delivered', at: at - 1000 })
    await applied(app)
    const { timeline, ...row } = (await app.owner<MessageDetail>(`/messages/${id}`)).body.data
    expect(row).toMatchObject({ occurred_at: '2026-11-21T09:30:01.000Z', pricing_category: 'utility' })
    expect(timeline.map(({ type }) => type)).not.toContain('delivered')
  })

  it('a failure has a reason and a hint; a delivery outweighs it', async () => {
    const { app, meta } = await startOfficial()
    const { id, messageId } = await sent(app)
    await meta.status({ wamid: messageId, status: 'failed', errors: [statusError('131026', 'Undeliverable', 'No.')] })
    const failed = await app.reached(id, 'failed')
    expect(failed.error).toMatchObject({ code: 'delivery_failed', provider_code: '131026' })
    expect(failed.error?.message).toContain('No')
    await meta.status({ wamid: messageId, status: 'delivered', recipient: null })
    expect((await app.reached(id, 'delivered')).error).toBeNull()
    await meta.status({ wamid: messageId, status: 'failed' })
    await applied(app)
    expect((await app.message(id)).status).toBe('delivered')
  })

  it('callbacks that Kurir does not understand are kept and do no harm', async () => {
    const { app, meta } = await startOfficial()
    const { id, messageId } = await sent(app)
    await meta.change('some_new_field', { deep: [1, 'é', { a: null }] })
    await meta.change('messages', { metadata: null, statuses: [{ id: 5 }, null, { id: 'x', status: 'played' }] })
    await meta.status({ wamid: 'wamid.of.somebody.else', status: 'read' })
    await meta.status({ wamid: messageId, status: 'delivered' })
    await app.reached(id, 'delivered')
    await applied(app)
    expect(await stored(app)).toBe(4)
  })
})

/** Shuffles to the same order in every run. */
function shuffle<T>(items: T[]): void {
  let seed = 42
  for (let i = items.length - 1; i > 0; i -= 1) {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    const j = seed % (i + 1)
    ;[items[i], items[j]] = [items[j] as T, items[i] as T]
  }
}
