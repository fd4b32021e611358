import { describe, expect, test } from 'vitest'
import { SANDBOX, startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { startProgram } from '../support/program.ts'

const DAY = 24 * 3_600_000
const PHONE = '6281234567890'

async function till() {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const key = await app.key({ sender: SANDBOX })
  const iso = (ms: number) => new Date(clock.now() + ms).toISOString()
  const send = (more: object = {}) => app.call<{ id: string }>(key, '/send', { phone: PHONE, message: 'Halo', ...more })
  const sent = async (more: object = {}) => {
    const answer = await send(more)
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data.id
  }
  const patch = (id: string, body: object) =>
    app.call<{ due_at: string; expires_at: string; priority: string }>(key, `/messages/${id}`, body, {
      method: 'PATCH',
    })
  return { clock, app, key, iso, send, sent, patch }
}

describe('when a message leaves', () => {
  test('at the time that it names, with any offset', async () => {
    const { clock, app, sent } = await till()
    const id = await sent({ send_at: '2026-11-21T16:00:00+07:00' })
    expect((await app.message(id)).dueAt).toBe(Date.UTC(2026, 10, 21, 9))
    await clock.advance(3_599_000)
    expect((await app.message(id)).status).toBe('queued')
    await clock.advance(2_000)
    await app.reached(id, 'sent', 'delivered', 'read')
  })

  test('a time that is over means now', async () => {
    const { app, iso, sent } = await till()
    await app.reached(await sent({ send_at: iso(-60_000) }), 'sent', 'delivered', 'read')
  })

  test('it ends after its ttl, counted from when it is due, or at its expires_at', async () => {
    const { clock, app, iso, sent } = await till()
    const ttl = await app.message(await sent({ ttl: 45, delay: 600 }))
    expect(ttl.expiresAt - clock.now()).toBe(645_000)
    const until = await app.message(await sent({ expires_at: iso(90_000) }))
    expect(until.expiresAt - clock.now()).toBe(90_000)
  })

  test.each<[object, string]>([
    [{ send_at: 'tomorrow' }, 'send_at'],
    [{ send_at: '2026-11-22T10:00:00' }, 'send_at'],
    [{ send_at: new Date(Date.UTC(2026, 10, 21, 8) + 31 * DAY).toISOString() }, 'send_at'],
    [{ send_at: '2026-11-21T10:00:00Z', delay: 5 }, 'send_at'],
    [{ expires_at: '2026-11-21T08:00:10Z' }, 'expires_at'],
    [{ expires_at: '2026-11-21T09:00:00Z', ttl: 60 }, 'ttl'],
    [{ ttl: 29 }, 'ttl'],
    [{ priority: 'urgent' }, 'priority'],
    [{ purpose: 'spam' }, 'purpose'],
  ])('%j is refused', async (fields, field) => {
    const { send } = await till()
    const { status, body } = await send(fields)
    expect([status, body.error.details?.map((detail) => detail.field)]).toEqual([400, [field]])
  })
})

describe('while a message waits', () => {
  test('its time, end and priority can be changed', async () => {
    const { clock, app, iso, sent, patch } = await till()
    const id = await sent({ delay: 600, ttl: 60 })
    const { status, body } = await patch(id, { send_at: iso(1_200_000), priority: 'high' })
    expect([status, body.data]).toMatchObject([
      200,
      { due_at: iso(1_200_000), expires_at: iso(1_260_000), priority: 'high' },
    ])
    expect((await patch(id, { expires_at: iso(2_000_000) })).body.data.expires_at).toBe(iso(2_000_000))
    await clock.advance(601_000)
    expect((await app.message(id)).status).toBe('queued')
    await patch(id, { send_at: iso(0) })
    await app.reached(id, 'sent', 'delivered', 'read')
  })

  test('not any more once it left; wrong values change nothing', async () => {
    const { app, iso, sent, patch } = await till()
    const waiting = await sent({ delay: 600 })
    const before = await app.message(waiting)
    for (const body of [{ send_at: iso(31 * DAY) }, { expires_at: iso(0) }, { priority: 'x' }]) {
      expect((await patch(waiting, body)).status).toBe(400)
    }
    expect(await app.message(waiting)).toEqual(before)
    const id = await sent()
    await app.reached(id, 'sent', 'delivered', 'read')
    const late = await patch(id, { priority: 'low' })
    expect([late.status, late.body.error.code]).toEqual([409, 'message_not_changeable'])
  })

  test('a changed time survives a sudden end of the program', async () => {
    const program = await startProgram({})
    const body = { phone: PHONE, message: 'Halo', sender_code: SANDBOX, delay: 3_600 }
    const { id } = (await program.owner<{ data: { id: string } }>('/send', body)).body.data
    const send_at = new Date(Date.now() + DAY).toISOString()
    const changed = await program.patch<{ data: { due_at: string } }>(`/messages/${id}`, { send_at, priority: 'high' })
    expect(changed.status).toBe(200)
    await program.kill()
    await program.start()
    const { data } = (await program.owner<{ data: object }>(`/messages/${id}`)).body
    expect(data).toMatchObject({ status: 'queued', due_at: send_at, priority: 'high' })
  })

  test('all with one reference, or of one sender, can be cancelled', async () => {
    const { app, key, sent } = await till()
    const other = await app.sender('sandbox')
    const all = await app.key()
    const [a, b, c] = [
      await sent({ delay: 600, reference_id: 'R' }),
      await sent({ delay: 600, reference_id: 'R' }),
      await sent({ delay: 600 }),
    ]
    const foreign = await app.call<{ id: string }>(all, '/send', {
      phone: PHONE,
      message: 'x',
      sender_code: other,
      delay: 600,
      reference_id: 'R',
    })
    const cancel = async (query: string) => {
      const answer = await app.call<{ cancelled: number }>(key, `/messages?${query}`, undefined, { method: 'DELETE' })
      return answer.status === 200 ? answer.body.data.cancelled : answer.body.error.code
    }
    expect(await cancel('status=queued')).toBe('invalid_request')
    // A name that is not known, and was ignored, would make this all messages of the sender.
    expect(await cancel(`sender_code=${SANDBOX}&refrence_id=R`)).toBe('invalid_request')
    expect(await cancel('reference_id=R')).toBe(2)
    expect(await cancel('reference_id=R')).toBe(0)
    expect(await Promise.all([a, b, c].map(async (id) => (await app.message(id)).status))).toEqual([
      'cancelled',
      'cancelled',
      'queued',
    ])
    expect((await app.message(foreign.body.data.id)).status).toBe('queued')
    expect(await cancel(`sender_code=${other}&status=queued`)).toBe(0)
    expect(await cancel(`sender_code=${SANDBOX}`)).toBe(1)
  })
})
