import { expect, onTestFinished, test } from 'vitest'
import type { SenderView } from '../../../server/contract/senders.ts'
import { openDrillShop } from '../../drill/shop.ts'
import { startGraphPeer } from '../../support/graph-peer/graph-peer.ts'
import { textTemplate } from '../../support/graph-peer/templates.ts'
import { addOfficial } from '../../support/official.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KNOWN = '6281234567890'
const STRANGER = '6281300000001'
const TEXT = 'Halo Bu Sari, tagihan INV-1 jatuh tempo'
const RULE = { pattern: 'Halo {{nama}}, tagihan {{nomor}} jatuh tempo', template_name: 'tagihan' }

/** A number that a real phone linked, with an official one as its second road. */
async function startShop() {
  const graph = await startGraphPeer()
  onTestFinished(graph.close)
  graph.state.templates.push(textTemplate('tagihan', 'id', 'Halo {{1}}, tagihan {{2}} sudah jatuh tempo.'))
  const shop = await openDrillShop(Math.ceil(Date.now() / DAY) * DAY + 9 * HOUR, { KURIR_GRAPH_URL: graph.url })
  onTestFinished(shop.close)
  const { app, code, peer } = shop
  const official = await addOfficial(app)
  const second_road = { sender_code: official, after_minutes: 30, monthly_cap: 10, rules: [RULE] }
  const saved = await app.owner<SenderView>(`/api/senders/${code}`, { method: 'PATCH', body: { second_road } })
  expect(saved.status, saved.text).toBe(200)
  await shop.link()
  await shop.customer(KNOWN)
  await shop.quiet()
  return {
    ...shop,
    async post(phone: string): Promise<string> {
      const answer = await app.owner<{ id: string }>('/send', { body: { phone, message: TEXT, sender_code: code } })
      expect(answer.status, answer.text).toBe(200)
      await shop.quiet()
      return answer.body.data.id
    },
    byWhatsApp: () => peer.journal.messages.map(({ to }) => to),
    byMeta: () =>
      graph.requests.flatMap(({ route, body }) => (route === 'messages' ? [(body as { to: string }).to] : [])),
  }
}

test.each(['lock', 'cap'])(
  'during a %s by WhatsApp a new contact gets the template, and a known contact the text',
  async (hold) => {
    const { app, clock, phone, quiet, pass, post, byWhatsApp, byMeta } = await startShop()
    if (hold === 'lock') phone.lock({ ms: 3 * HOUR })
    else phone.cap({ total: 30, used: 30, warnAt: [20, 25], cycleEndsAt: clock.now() + 3 * HOUR })
    await quiet()
    const stranger = await post(STRANGER)
    await post(KNOWN)
    await pass(29 * MINUTE)
    expect([byWhatsApp(), byMeta()]).toEqual([[KNOWN], []])
    await pass(3 * MINUTE)
    expect(byMeta()).toEqual([`+${STRANGER}`])
    expect(await app.message(stranger)).toMatchObject({ status: 'accepted', channel: 'template' })
    await pass(4 * HOUR)
    expect([byWhatsApp(), byMeta()]).toEqual([[KNOWN], [`+${STRANGER}`]])
  },
  60_000,
)

test('an unlinked number sends through Meta, and by itself after it is linked again', async () => {
  const { app, phone, link, pass, post, byWhatsApp, byMeta } = await startShop()
  phone.unlink()
  const first = await post(KNOWN)
  await pass(32 * MINUTE)
  expect(await app.message(first)).toMatchObject({ status: 'accepted', channel: 'template' })
  await link()
  const second = await post(KNOWN)
  await pass(32 * MINUTE)
  expect((await app.message(second)).channel).toBe('standard')
  expect([byWhatsApp(), byMeta()]).toEqual([[KNOWN], [`+${KNOWN}`]])
})
