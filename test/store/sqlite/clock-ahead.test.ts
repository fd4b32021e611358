import { expect, test } from 'vitest'
import type { MessageRow } from '../../../server/contract/messages.ts'
import { SANDBOX, startApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'

// Only on one PC: nodes that share a database never go by a clock that is wrong.
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

async function open() {
  const clock = createTestClock()
  const app = await startApp({ clock, overrides: { random: () => 0.5 } })
  const send = async (more: object = {}) => {
    const answer = await app.owner<{ id: string }>('/send', {
      body: { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, ...more },
    })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data.id
  }
  /** The clock is set, and the program comes to notice. */
  const set = async (by: number) => {
    clock.jump(by)
    await clock.advance(SECOND)
    while (!app.logs().includes("the PC's clock was set")) await app.fetch('/health')
  }
  return { app, clock, send, set }
}

test('a clock that was a year ahead once: time filters and counts of later messages are right, in the order of arrival', async () => {
  const { app, clock, send, set } = await open()
  clock.jump(365 * DAY)
  await clock.advance(SECOND)
  const ahead = await send()
  await app.reached(ahead, 'sent')
  while ((await app.message(ahead)).status !== 'read') await clock.advance(100)
  await set(-365 * DAY)
  const now = clock.now()
  const later = [await send({ delay: 60 }), await send({ delay: 60 })]
  const list = async (query: string) =>
    (await app.owner<MessageRow[]>(`/api/messages${query}`)).body.data.map(({ id }) => id)
  const span = (from: number, to: number) => `?from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
  expect(await list(span(now - MINUTE, now + MINUTE))).toEqual(later.toReversed())
  expect(await list(`${span(now - MINUTE, now + MINUTE)}&limit=1&status=queued`)).toEqual([later[1]])
  expect(await list(span(now + DAY, now + 400 * DAY))).toEqual([ahead])
  expect(await list('')).toEqual([...later.toReversed(), ahead])
  const dues = () => Promise.all(later.map(async (id) => (await app.message(id)).nextAt))
  const before = await dues()
  await app.restart()
  expect(await dues(), 'moved once').toEqual(before)
})

test('a page of a span of time goes on where the last one ended, also where arrival and time differ', async () => {
  const { app, clock, send, set } = await open()
  const ids = [await send({ delay: 60 })]
  await set(-HOUR)
  ids.unshift(await send({ delay: 60 }))
  const from = encodeURIComponent(new Date(clock.now() - DAY).toISOString())
  const first = await app.owner<MessageRow[]>(`/api/messages?from=${from}&limit=1`)
  const second = await app.owner<MessageRow[]>(`/api/messages?from=${from}&limit=1&cursor=${first.body.next_cursor}`)
  expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids)
  expect(second.body.next_cursor).toBeNull()
})
