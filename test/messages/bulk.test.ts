import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, test } from 'vitest'
import type { MessageRow } from '../../server/contract/messages.ts'
import { type BulkView, UNDO_WITHIN } from '../../server/slices/bulk/contract.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { addEnded } from '../support/numbers.ts'

describe('one action on many messages', () => {
  let clock: TestClock
  let app: TestApp

  beforeEach(async () => {
    clock = createTestClock()
    app = await startApp({ clock })
  })

  const send = async (fields: Record<string, unknown> = {}): Promise<string> => {
    const body = { sender_code: SANDBOX, phone: '6281234567890', message: 'halo', delay: 3600, ...fields }
    return (await app.owner<{ id: string }>('/send', { body })).body.data.id
  }
  const begin = async (body: Record<string, unknown>) => {
    const answer = await app.owner<BulkView>('/api/bulk', { body })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data
  }
  const undo = (id: string) => app.owner<{ undone: number }>(`/api/bulk/${id}`, { method: 'DELETE' })
  const statuses = (ids: string[]) => Promise.all(ids.map(async (id) => (await app.message(id)).status))
  const failedOne = async (fields: Record<string, unknown> = {}) => {
    const id = await send({ delay: 0, phone: '6281234560005', ...fields })
    await app.reached(id, 'failed')
    return id
  }

  test('what waits is cancelled after ten seconds, all that fits the filter and nothing else', async () => {
    const mine = [await send(), await send()]
    const other = await send({ phone: '6281299999999' })
    const view = await begin({ action: 'cancel', filter: { recipient: '6281234567890' } })
    expect(view).toMatchObject({ action: 'cancel', count: 2, more: false })
    await clock.advance(UNDO_WITHIN - 1)
    expect(await statuses(mine)).toEqual(['queued', 'queued'])
    await clock.advance(1)
    for (const id of mine) await app.reached(id, 'cancelled')
    expect(await statuses([other])).toEqual(['queued'])
    expect((await undo(view.id)).status).toBe(404)
  })

  test('undone in time, each leaves when it was meant to', async () => {
    const soon = await send({ delay: 3 })
    const later = await send({ delay: 100 })
    const due = (await app.message(later)).nextAt
    const { id } = await begin({ action: 'cancel', ids: [soon, later] })
    await clock.advance(5_000)
    expect(await statuses([soon]), 'what is about to be cancelled does not leave').toEqual(['queued'])
    expect((await undo(id)).body.data.undone).toBe(2)
    await app.reached(soon, 'sent')
    expect((await app.message(later)).nextAt).toBe(due)
    await clock.advance(UNDO_WITHIN)
    expect(await statuses([later])).toEqual(['queued'])
  })

  test('lists and the page of a message say that it is being cancelled, until that is undone', async () => {
    const waiting = await send()
    const heldBy = async () => {
      const rows = (await app.owner<MessageRow[]>('/messages')).body.data
      const page = (await app.owner<MessageRow>(`/api/messages/${waiting}`)).body.data
      return [...rows, page].map(({ held_by, until }) => [held_by, until === null])
    }
    const { id } = await begin({ action: 'cancel', ids: [waiting] })
    expect(await heldBy()).toEqual(Array(2).fill(['cancelling', true]))
    await undo(id)
    expect(await heldBy()).toEqual(Array(2).fill(['delay', false]))
  })

  test('what is being cancelled stays when all that was put off may leave', async () => {
    const waiting = await send({ delay: 3 })
    const { id } = await begin({ action: 'cancel', ids: [waiting] })
    await clock.advance(4_000)
    const { laneId } = await app.message(waiting)
    // As when WhatsApp takes new chats again.
    expect(await app.app.store.queues.release(laneId, clock.now(), 10)).toBe(1)
    app.app.bus.emit('lane', { senderId: laneId })
    await expect.poll(async () => (await app.message(waiting)).nextAt).toBeGreaterThan(clock.now())
    expect(await statuses([waiting])).toEqual(['queued'])
    expect((await undo(id)).body.data.undone).toBe(1)
    await app.reached(waiting, 'sent')
  })

  test('failed ones are sent again, once, and only where that makes sense', async () => {
    const failed = await failedOne()
    const wrongNumber = await failedOne({ phone: '6281234560001' })
    const filter = { status: 'failed' }
    const first = await begin({ action: 'send_again', filter })
    expect(first.count).toBe(1)
    expect((await begin({ action: 'send_again', filter })).count, 'taken by the first').toBe(0)
    await clock.advance(UNDO_WITHIN)
    const rows = async () => (await app.owner<{ id: string; recipient: string }[]>('/messages')).body.data
    await expect.poll(async () => (await rows()).length).toBe(3)
    expect((await begin({ action: 'send_again', filter: { recipient: '6281234560005' } })).count).toBeLessThanOrEqual(1)
    expect((await begin({ action: 'send_again', ids: [failed] })).count, 'it was sent again already').toBe(0)
    expect((await rows()).filter(({ recipient }) => recipient === '6281234560001').map(({ id }) => id)).toEqual([
      wrongNumber,
    ])
  })

  test('the same text of another order is no repetition', async () => {
    const failed = await failedOne({ reference_id: 'INV-1' })
    await failedOne({ reference_id: 'INV-2' })
    expect((await begin({ action: 'send_again', ids: [failed] })).count).toBe(1)
    await clock.advance(UNDO_WITHIN)
    await expect.poll(() => sentAgain([failed])).toEqual([2])
    expect((await begin({ action: 'send_again', ids: [failed] })).count).toBe(0)
  })

  const failedOnes = async (count: number): Promise<string[]> => {
    const ids = []
    for (let n = 0; n < count; n += 1) ids.push(await failedOne({ message: `Invoice ${n}` }))
    return ids
  }
  const sentAgain = async (ids: string[]): Promise<number[]> => {
    const rows = await app.app.store.messages.list({ limit: 1000 })
    const messages = await Promise.all(ids.map((id) => app.message(id)))
    return messages.map(({ body }) => rows.filter((row) => row.body === body).length - 1)
  }

  test('a press while the one before is carried out sends nothing twice', async () => {
    const ids = await failedOnes(5)
    await begin({ action: 'send_again', ids })
    const [again] = await Promise.all([begin({ action: 'send_again', ids }), clock.advance(UNDO_WITHIN)])
    await clock.advance(UNDO_WITHIN)
    expect(again.count).toBe(0)
    await expect.poll(() => sentAgain(ids)).toEqual([1, 1, 1, 1, 1])
  })

  test('what was sent again is found behind many newer messages of the same customer', async () => {
    const ids = await failedOnes(60)
    expect((await begin({ action: 'send_again', ids })).count).toBe(60)
    await clock.advance(UNDO_WITHIN)
    await expect.poll(async () => (await sentAgain(ids)).every((count) => count === 1)).toBe(true)
    expect((await begin({ action: 'send_again', ids })).count).toBe(0)
  })

  test('closed while it is carried out, it is carried out to its end', async () => {
    const ids = await failedOnes(20)
    await begin({ action: 'send_again', ids })
    await clock.advance(UNDO_WITHIN)
    await app.restart()
    expect(await sentAgain(ids)).toEqual(Array(20).fill(1))
  })

  test('one that may have arrived is sent again by nobody but its owner, one by one', async () => {
    await addEnded(app, SANDBOX, 3, 'not_acknowledged')
    expect((await begin({ action: 'send_again', filter: { status: 'failed' } })).count).toBe(0)
  })

  test('a program that is closed carries it out first', async () => {
    const id = await send()
    await begin({ action: 'cancel', ids: [id] })
    await app.restart()
    expect(await statuses([id])).toEqual(['cancelled'])
  })

  test('long texts of what waits for ten seconds are not kept in memory', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const used = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    for (let n = 0; n < 100; n += 1) await send({ message: `${n} ${'x'.repeat(60_000)}` })
    const before = used()
    expect((await begin({ action: 'cancel', filter: {} })).count).toBe(100)
    expect(used() - before).toBeLessThan(3_000_000)
  })

  test('what is asked for is checked', async () => {
    const bad = async (body: unknown) => (await app.owner('/api/bulk', { body })).status
    expect(await bad({ action: 'cancel' })).toBe(400)
    expect(await bad({ action: 'cancel', ids: [], filter: {} })).toBe(400)
    expect(await bad({ action: 'delete', ids: ['x'] })).toBe(400)
    expect(await bad({ action: 'cancel', filter: { status: 'lost' } })).toBe(400)
    expect(await bad({ action: 'cancel', filter: { sender: SANDBOX } }), 'not everything').toBe(400)
    const waiting = await send()
    expect((await begin({ action: 'cancel', filter: { q: '🎉' } })).count).toBe(0)
    expect(await statuses([waiting])).toEqual(['queued'])
    expect((await begin({ action: 'cancel', ids: ['nobody'] })).count).toBe(0)
    expect((await begin({ action: 'cancel', filter: { sender_code: 'SND-NONE' } })).count).toBe(0)
    expect((await begin({ action: 'cancel', filter: { status: 'sent' } })).count).toBe(0)
  })
})

test('one that failed is sent to the number that was meant, without the id of the first', async () => {
  const app = await startApp()
  const sender = await app.sender('sandbox', { country_code: '62' })
  const body = { sender_code: sender, phone: '6281234560001', message: 'halo' }
  const { data } = (await app.owner<{ id: string }>('/send', { body })).body
  await app.reached(data.id, 'failed')
  const again = (phone: string) =>
    app.owner<{ id: string; recipient: string }>(`/api/messages/${data.id}/retry`, { body: { phone } })
  const refused = await again('12')
  expect([refused.status, refused.body.error.details?.[0]?.field]).toEqual([400, 'phone'])
  const sent = await again('0812-3456-7890')
  expect(sent.body.data.recipient).toBe('6281234567890')
  await app.reached(sent.body.data.id, 'read')
})

test('one that failed is sent again once, whoever presses how often; again where that failed too', async () => {
  const app = await startApp()
  const again = async (id: string, body = {}) => {
    const answer = await app.owner<{ id: string }>(`/api/messages/${id}/retry`, { method: 'POST', body })
    return { status: answer.status, id: answer.body.data?.id ?? answer.body.error.message_id }
  }
  const body = { sender_code: SANDBOX, phone: '6281234560001', message: 'halo', reference_id: 'INV-1' }
  const { id } = (await app.owner<{ id: string }>('/send', { body })).body.data
  await app.reached(id, 'failed')
  const [one, other] = await Promise.all([again(id), again(id)])
  expect([one.status, other.status].toSorted()).toEqual([200, 409])
  await app.reached((one.status === 200 ? one : other).id ?? '', 'failed')
  const right = await again(id, { phone: '6281234567890' })
  expect(right.status).toBe(200)
  expect(await again(id, { phone: '6281234567890' })).toEqual({ status: 409, id: right.id })
  await app.owner('/send', { body: { ...body, phone: '6281234567891' } })
  expect((await again(id, { phone: '6281234567891' })).status, 'a program sent it there meanwhile').toBe(409)
  expect((await again(id)).status, 'the first repetition failed').toBe(200)
})

test('an action that the disk refuses in the middle leaves everything as it was', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const body = { sender_code: SANDBOX, phone: '6281234567890', message: 'halo', delay: 5 }
  const ids: string[] = []
  for (let n = 0; n < 3; n += 1) ids.push((await app.owner<{ id: string }>('/send', { body })).body.data.id)
  const when = 'NEW.seq = 1 AND NEW.next_at > NEW.due_at'
  const allow = await app.disk.refuse({ event: 'UPDATE', table: 'messages', when })
  const press = () => app.owner<BulkView>('/api/bulk', { body: { action: 'cancel', ids: ids.toReversed() } })
  expect((await press()).status).toBe(500)
  const due = await Promise.all(ids.map(async (id) => (await app.message(id)).nextAt))
  expect(due).toEqual(Array(3).fill(clock.now() + 5_000))
  await allow()
  expect((await press()).body.data.count).toBe(3)
})
