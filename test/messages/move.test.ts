import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { MessageRow } from '../../server/contract/messages.ts'
import { type BulkView, UNDO_WITHIN } from '../../server/slices/bulk/contract.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { startReceiver } from '../support/receiver.ts'

describe('what waits for one sender is moved to another', () => {
  let clock: TestClock
  let app: TestApp
  let first: string
  let second: string

  beforeEach(async () => {
    // The library that checks signatures knows only the true time.
    clock = createTestClock(Date.now())
    app = await startApp({ clock })
    first = await app.sender('sandbox', { name: 'First' })
    second = await app.sender('sandbox', { name: 'Second' })
    await app.owner(`/api/senders/${first}/pause`, { method: 'POST' })
  })

  const send = async (fields: Record<string, unknown> = {}): Promise<string> => {
    const body = { sender_code: first, phone: '6281234567890', message: 'halo', ...fields }
    const answer = await app.owner<{ id: string }>('/send', { body })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data.id
  }
  const move = (fields: Record<string, unknown> = {}) =>
    app.owner<BulkView>('/api/bulk', {
      body: { action: 'move', to: second, filter: { sender_code: first }, ...fields },
    })
  const rows = async () => (await app.owner<MessageRow[]>('/messages?limit=200')).body.data
  const idOf = (code: string) => app.app.store.senders.byCode(code)?.id ?? 0

  test('after ten seconds, in its order, each once; who waited for the first one hears of it', async () => {
    const receiver = await startReceiver()
    await app.owner('/api/webhooks', { body: { url: receiver.url, sender_codes: [first], events: ['message.sent'] } })
    const other = await startReceiver()
    const third = await app.sender('sandbox', { name: 'Third' })
    await app.owner('/api/webhooks', { body: { url: other.url, sender_codes: [third], events: ['message.sent'] } })
    const key = await app.key({ sender: first })
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) ids.push(await send({ phone: `628123456789${n}`, reference_id: `INV-${n}` }))
    const planned = await send({ send_at: new Date(clock.now() + 3_600_000).toISOString() })
    expect((await move()).body.data).toMatchObject({ action: 'move', count: 6, more: false })
    expect((await rows()).map(({ held_by }) => held_by)).toEqual(Array(6).fill('moving'))
    await clock.advance(UNDO_WITHIN)
    for (const id of ids) await app.reached(id, 'sent', 'delivered', 'read')
    await clock.advance(1_000)
    const heard = await receiver.calls(5)
    // Callbacks of several messages may pass each other; ids are in the order of the messages.
    expect(heard.map(({ event: { data } }) => [data.message_id, data.sender_code]).sort()).toEqual(
      ids.map((id) => [id, second]),
    )
    expect(other.received).toEqual([])
    expect(await app.message(planned)).toMatchObject({ senderId: idOf(second), laneId: idOf(second), status: 'queued' })
    expect((await app.message(planned)).nextAt, 'its own time').toBeGreaterThan(clock.now() + 3_000_000)
    const seen = await app.call<MessageRow>(key, `/messages/${ids[0]}`)
    expect([seen.status, seen.body.data.sender_code]).toEqual([200, second])
    expect([app.app.store.queues.waiting(idOf(first)), app.app.store.queues.waiting(idOf(second))]).toEqual([0, 1])

    // Once more: the first sender of all goes on hearing of it.
    await app.owner(`/api/senders/${second}/pause`, { method: 'POST' })
    await move({ to: third, filter: { sender_code: second } })
    await clock.advance(UNDO_WITHIN)
    await expect.poll(async () => (await app.message(planned)).senderId).toBe(idOf(third))
    expect((await app.message(planned)).movedFrom).toBe(idOf(first))
  })

  test('a till that repeats what was moved is told so, and sends it no second time', async () => {
    const key = await app.key({ sender: first, refuse_duplicate_content_seconds: 3_600 })
    const bill = () => app.call<{ id: string }>(key, '/send', { phone: '6281234567890', message: 'Tagihan' })
    const { id } = (await bill()).body.data
    await move()
    await clock.advance(UNDO_WITHIN)
    await app.reached(id, 'sent')
    expect((await bill()).body.error).toMatchObject({ code: 'duplicate_content', message_id: id })
  })

  test('a till that looks for its reference before it repeats finds what was moved', async () => {
    const key = await app.key({ sender: first })
    const id = await send({ reference_id: 'INV-9' })
    await move()
    await clock.advance(UNDO_WITHIN)
    await app.reached(id, 'sent')
    const found = async (query: string) =>
      (await app.call<MessageRow[]>(key, `/messages?reference_id=INV-9${query}`)).body.data.map((row) => row.id)
    expect([await found(''), await found('&status=sent,delivered,read'), await found('&from=2020-01-01')]).toEqual(
      Array(3).fill([id]),
    )
    const other = await app.key({ sender: await app.sender('sandbox', { name: 'Third' }) })
    expect((await app.call(other, '/messages?reference_id=INV-9')).body.data).toEqual([])
  })

  test('what failed is not sent again a second time where the first repetition was moved', async () => {
    await app.owner(`/api/senders/${first}/resume`, { method: 'POST' })
    const id = await send({ phone: '6281234560005' })
    await app.reached(id, 'failed')
    for (const code of [first, second]) await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
    const again = () => app.owner<{ id: string }>(`/api/messages/${id}/retry`, { method: 'POST' })
    const repetition = (await again()).body.data.id
    await move()
    await clock.advance(UNDO_WITHIN)
    await expect.poll(async () => (await app.message(repetition)).senderId).toBe(idOf(second))
    expect((await again()).body.error).toMatchObject({ code: 'conflict', message_id: repetition })
  })

  test('undone in time, all stays where it was', async () => {
    const ids = [await send(), await send({ delay: 3_600 })]
    const before = await Promise.all(ids.map(app.message))
    const { body } = await move()
    expect((await app.owner(`/api/bulk/${body.data.id}`, { method: 'DELETE' })).status).toBe(200)
    await clock.advance(UNDO_WITHIN)
    expect(await Promise.all(ids.map(app.message))).toEqual(before)
  })

  test('a sender that is deleted within those ten seconds gets nothing: what waits stays where it was', async () => {
    const id = await send()
    const due = (await app.message(id)).nextAt
    await move()
    await app.owner(`/api/senders/${second}`, { method: 'DELETE' })
    await clock.advance(UNDO_WITHIN)
    await expect.poll(async () => (await app.message(id)).nextAt).toBe(due)
    expect(await app.message(id)).toMatchObject({ senderId: idOf(first), status: 'queued' })
    await app.owner(`/api/senders/${first}/resume`, { method: 'POST' })
    await app.reached(id, 'sent', 'delivered', 'read')
  })

  test('what is being moved away from a sender that is deleted meanwhile leaves through the other one', async () => {
    const ids = [await send(), await send({ delay: 3_600 })]
    const { id } = (await move()).body.data
    await app.owner(`/api/senders/${first}`, { method: 'DELETE' })
    expect(await app.message(ids[1] ?? '')).toMatchObject({ senderId: idOf(second), status: 'queued' })
    await app.reached(ids[0] ?? '', 'sent', 'delivered', 'read')
    expect((await app.owner(`/api/bulk/${id}`, { method: 'DELETE' })).status, 'too late to undo').toBe(404)
  })

  test('a disk that takes nothing at that moment ends neither the program nor the messages', async () => {
    const unheard: unknown[] = []
    const hear = (error: unknown) => void unheard.push(error)
    process.on('unhandledRejection', hear)
    onTestFinished(() => void process.off('unhandledRejection', hear))
    const id = await send()
    await move()
    await app.disk.full(true)
    await clock.advance(UNDO_WITHIN)
    const isOver = () => unheard.length > 0 || app.logs().includes('what was to be moved still waits')
    await expect.poll(isOver).toBe(true)
    await app.disk.full(false)
    expect(await app.message(id)).toMatchObject({ senderId: idOf(first), status: 'queued' })
    expect(unheard).toEqual([])
  })

  test('groups, what has left, and rehearsals that would become real stay', async () => {
    const group = await send({ phone: undefined, group: 'Announcements' })
    const linked = await app.sender('linked', { name: 'Real' })
    await send()
    expect((await move({ to: linked })).body.data.count).toBe(0)
    expect((await move({ to: first })).body.data.count).toBe(0)
    expect((await move({ to: 'SND-NONE' })).body.error.details?.[0]).toMatchObject({
      field: 'to',
      code: 'no_such_sender',
    })
    expect((await move({ to: undefined })).status).toBe(400)
    expect((await move({ action: 'cancel' })).status).toBe(400)
    expect((await move()).body.data.count).toBe(1)
    await clock.advance(UNDO_WITHIN)
    await expect.poll(async () => (await rows()).filter(({ sender_code }) => sender_code === second).length).toBe(1)
    expect((await app.message(group)).senderId).toBe(idOf(first))
  })

  test('one that leaves in the same moment leaves once', async () => {
    const id = await send()
    const { body } = await move()
    expect(body.data.count).toBe(1)
    await app.owner(`/api/senders/${first}/resume`, { method: 'POST' })
    await clock.advance(UNDO_WITHIN - 1)
    expect((await app.message(id)).status, 'held back').toBe('queued')
    await clock.advance(1)
    await app.reached(id, 'sent', 'delivered', 'read')
    expect(await app.message(id)).toMatchObject({ senderId: idOf(second), attempts: 1 })
  })
})
