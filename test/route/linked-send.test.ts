import { describe, expect, test } from 'vitest'
import type { MessageDetail } from '../../server/contract/messages.ts'
import type { Overview } from '../../server/contract/operation.ts'
import { describeConcern } from '../../server/words/concern-text.ts'
import { en } from '../../server/words/en/index.ts'
import { id as indonesian } from '../../server/words/id/index.ts'
import { eventually } from '../support/eventually.ts'
import { startHttpServer } from '../support/http-server.ts'
import { startReceiver, verify } from '../support/receiver.ts'
import { samples } from '../support/samples.ts'
import { CUSTOMER, startShop } from '../support/shop.ts'

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('a posted text', () => {
  test('reaches the phone, and its fate comes back to the caller', async () => {
    const receiver = await startReceiver()
    const shop = await startShop()
    const hook = await shop.app.owner<{ secret: string }>('/api/webhooks', { body: { url: receiver.url } })
    const linked = await shop.link()
    expect(linked).toMatchObject({ phone: '6281111111111', account_name: 'Toko Melati', qr: null })

    const answer = await shop.app.call<{ id: string }>(shop.key, '/send', {
      phone: '+62 855-5555-5555',
      message: 'Terima kasih 🙏',
      reference_id: 'INV-1001',
      metadata: { branch: 4, reference_id: 'loses' },
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      success: true,
      message: expect.any(String),
      data: {
        id: expect.stringMatching(UUID7),
        message_id: answer.body.data.id,
        sender_code: shop.sender,
        recipient: CUSTOMER,
        status: 'queued',
        metadata: { branch: 4, reference_id: 'INV-1001' },
      },
    })
    const arrived = await shop.peer.recipient(CUSTOMER).next()
    expect(arrived.text).toBe('Terima kasih 🙏')

    const { id } = answer.body.data
    for (const status of ['sent', 'delivered', 'read']) {
      const call = await receiver.event(`message.${status}`, id)
      expect(call.event).toEqual({
        type: `message.${status}`,
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        data: {
          id,
          message_id: id,
          channel: 'standard',
          sender_code: shop.sender,
          recipient: CUSTOMER,
          group: null,
          receipts: null,
          status,
          reference_id: 'INV-1001',
          metadata: { branch: 4 },
          provider_message_id: arrived.id,
          pricing: null,
          recipient_user_id: null,
          occurred_at: expect.stringMatching(/^\d{4}-.*Z$/),
          error: null,
        },
      })
      expect(verify(call, hook.body.data.secret)).toEqual(call.event)
    }
    const order = receiver.received.filter(({ event }) => event.data.id === id).map(({ event }) => event.type)
    expect(order).toEqual(['message.sent', 'message.delivered', 'message.read'])
  })

  test.each([
    ['emoji', '👩‍👩‍👧‍👦 🇮🇩 e\u0301'],
    ['Arabic', 'مرحبا بكم في متجرنا، فاتورتكم جاهزة'],
    ['65,536 characters', 'é'.repeat(65_536)],
  ])('arrives character by character: %s', async (_name, message) => {
    const shop = await startShop()
    await shop.link()
    await shop.send({ message })
    expect((await shop.peer.recipient(CUSTOMER).next()).text).toBe(message)
  })
})

describe('a file by its address', () => {
  test.each([
    ['image', 'png', 'image/png', '/photo.png'],
    ['document', 'pdf', 'application/pdf', '/INV-1001.pdf'],
    ['audio', 'mp3', 'audio/mpeg', '/voice.mp3'],
    ['video', 'mp4', 'video/mp4', '/clip.mp4'],
  ] as const)('arrives byte for byte: %s', async (kind, sample, mimetype, path) => {
    const files = await startHttpServer((_req, res) => res.end(samples[sample]))
    const shop = await startShop()
    await shop.app.owner('/api/settings', { method: 'PATCH', body: { media_allowed_hosts: ['127.0.0.1'] } })
    await shop.link()
    const id = await shop.send({ message: 'Nota Anda', file: files.url + path })
    const customer = shop.peer.recipient(CUSTOMER)
    // Audio has no caption: its text comes before it.
    if (kind === 'audio') expect((await customer.next()).text).toBe('Nota Anda')
    const { media, type } = await customer.next()
    expect(type).toBe(kind)
    expect(media?.bytes.equals(samples[sample])).toBe(true)
    expect(media?.mimetype).toBe(mimetype)
    if (kind !== 'audio') expect(media?.caption).toBe('Nota Anda')
    if (kind === 'document') expect(media?.fileName).toBe('INV-1001.pdf')
    await shop.app.reached(id, 'read')
    await files.close()
  })

  test('on an address that is not allowed fails with what to do, and nothing is sent', async () => {
    const shop = await startShop()
    await shop.link()
    const id = await shop.send({ file: 'http://127.0.0.1:9/invoice.pdf' })
    const failed = await shop.app.reached(id, 'failed')
    expect(failed.error).toMatchObject({ code: 'media_blocked', hint: expect.stringContaining('127.0.0.1') })
    expect(shop.peer.journal.messages).toEqual([])
  })
})

test('a number that is not on WhatsApp fails without a message being sent', async () => {
  const shop = await startShop()
  shop.peer.unknownNumber('6289999999999')
  await shop.link()
  const id = await shop.send({ phone: '6289999999999' })
  expect((await shop.app.reached(id, 'failed')).error).toMatchObject({ code: 'recipient_not_on_whatsapp' })
  expect(shop.peer.journal.messages).toEqual([])
})

test('error 463 without a lock is a matter of that message alone', async () => {
  const shop = await startShop()
  await shop.link()
  // In the first minutes of a link it would be held.
  const { linkedFacts, senders } = shop.app.app.store
  const id = senders.byCode(shop.sender)?.id ?? 0
  await linkedFacts.save(id, { ...((await linkedFacts.get(id)) as object), newLink: null })
  await shop.app.restart()
  await shop.state('connected')
  shop.peer.faults.acknowledge({ error: '463' }, { next: 1 })
  const refused = await shop.app.reached(await shop.send({ phone: '6285555550001' }), 'failed')
  expect(refused.error).toMatchObject({ code: 'account_restricted', provider_code: '463' })
  await shop.app.reached(await shop.send({ phone: '6285555550002' }), 'read')
  expect(await shop.view()).toMatchObject({ first_contacts_wait_until: null, new_chats: null })
})

test('a number that was linked only now says that it is still reading its chats, in both languages', async () => {
  const shop = await startShop({ account: { history: 'withheld' } })
  await shop.link()
  const id = await shop.send({})
  const { first_contacts_wait_until: until } = await shop.until(({ held_by }) => held_by === 'new_link')
  expect(Date.parse(until ?? '')).toBeGreaterThan(Date.now())
  const heldBy = async () => (await shop.app.owner<MessageDetail>(`/api/messages/${id}`)).body.data.held_by
  await expect.poll(heldBy).toBe('new_link')
  const { concerns } = (await shop.app.owner<Overview>('/api/overview')).body.data
  const concern = concerns.find(({ sender_code }) => sender_code === shop.sender)
  expect(concern).toMatchObject({ code: 'new_link', weight: 'note' })
  if (concern === undefined) return
  expect(describeConcern(concern, en, Date.now()).event).toMatch(/^Toko Melati was linked only minutes ago: first/)
  expect(describeConcern(concern, indonesian, Date.now()).event).toMatch(
    /^Toko Melati baru ditautkan beberapa menit lalu/,
  )
  await shop.phone.sendHistory({}, { inline: true })
  await shop.app.reached(id, 'read')
  expect(await heldBy()).toBeNull()
})

test('where WhatsApp does not say whether there is a lock, first contacts wait by a guess that is shown', async () => {
  const shop = await startShop()
  await shop.link()
  await shop.app.reached(await shop.send({}), 'read')
  shop.peer.faults.dropStoredQuery('23983697327930364')
  shop.peer.faults.acknowledge({ error: '463' }, { next: 1 })
  await shop.app.restart()
  await shop.state('connected')
  const stranger = await shop.send({ phone: '6285555550002' })
  await eventually(async () => (await shop.view()).first_contacts_wait_until !== null)
  expect(Date.parse((await shop.view()).first_contacts_wait_until ?? '')).toBeGreaterThan(Date.now() + 3_500_000)
  await shop.app.reached(await shop.send({ message: 'known' }), 'read')
  expect(await shop.app.message(stranger)).toMatchObject({ status: 'queued', attempts: 0 })
})
