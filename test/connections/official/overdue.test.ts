import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'
import { callbacks } from '../../support/graph-peer/callbacks.ts'
import { cut, metaError } from '../../support/graph-peer/faults.ts'
import { APP_SECRET, sendTemplate, startOfficial } from '../../support/official.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A PC that can be switched off for a while. */
async function startPc() {
  const home = mkdtempSync(join(tmpdir(), 'kurir-overdue-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const clock = createTestClock()
  const first = await startOfficial({ home, clock })
  const { peer } = first
  let { app } = first
  return {
    peer,
    clock,
    code: first.code,
    meta: () => callbacks({ to: app.app.webhookUrl(), appSecret: APP_SECRET }),
    app: () => app,
    /** The clock is set while it is off. */
    async set(by: number): Promise<void> {
      await app.close()
      clock.jump(by)
      app = await startApp({ home, clock, env: { KURIR_GRAPH_URL: peer.url } })
    },
    /** Off for `ms`, and on again. */
    async later(ms: number): Promise<void> {
      await app.close()
      await clock.advance(ms)
      app = await startApp({ home, clock, env: { KURIR_GRAPH_URL: peer.url } })
    },
  }
}

it('a send of unknown outcome fails after 24 hours without a status, if Kurir ran for the last four', async () => {
  const { app, peer, clock, later } = await startPc()
  peer.answerNext(cut())
  const id = (await sendTemplate(app())).body.error.message_id ?? ''
  await later(DAY - HOUR)
  expect((await app().message(id)).status).toBe('sending')
  await later(DAY)
  await clock.advance(4 * HOUR - MINUTE)
  expect((await app().message(id)).status).toBe('sending')
  await clock.advance(HOUR)
  expect((await app().reached(id, 'failed')).error).toMatchObject({ code: 'outcome_unknown' })
})

it('a send of unknown outcome fails in time, although the clock was once a year ahead', async () => {
  const { app, peer, clock, set, later } = await startPc()
  await set(365 * DAY)
  await sendTemplate(app())
  await set(-365 * DAY)
  peer.answerNext(cut())
  const id = (await sendTemplate(app())).body.error.message_id ?? ''
  await later(DAY - HOUR)
  expect((await app().message(id)).status).toBe('sending')
  await later(HOUR)
  await clock.advance(5 * HOUR)
  expect((await app().reached(id, 'failed')).error).toMatchObject({ code: 'outcome_unknown' })
})

it('a message that is being retried does not fail as stale', async () => {
  const { app, peer, clock, code, later } = await startPc()
  const held = (action: 'pause' | 'resume') => app().owner(`/api/senders/${code}/${action}`, { method: 'POST' })
  await held('pause')
  const { id } = (await sendTemplate(app(), { ttl: (5 * DAY) / 1000 }, { prefer: 'respond-async' })).body.data
  await later(3 * DAY)
  const sent = peer.holdNext()
  await held('resume')
  await sent.arrived
  expect((await app().message(id)).status).toBe('sending')
  const all = await app().app.store.officialMessages.templatesIn('sending', clock.now() + DAY, 10)
  sent.release()
  await app().reached(id, 'accepted')
  expect(all).toEqual([])
})

it('an accepted or sent message fails after 30 days without a final status, until a late delivery', async () => {
  const { app, meta, later } = await startPc()
  const [accepted, sent, delivered] = [
    (await sendTemplate(app())).body.data,
    (await sendTemplate(app())).body.data,
    (await sendTemplate(app())).body.data,
  ]
  await meta().status({ wamid: sent.messageId, status: 'sent' })
  await meta().status({ wamid: delivered.messageId, status: 'delivered' })
  await app().reached(sent.id, 'sent')
  await app().reached(delivered.id, 'delivered')
  await later(30 * DAY - HOUR)
  expect([(await app().message(accepted.id)).status, (await app().message(sent.id)).status]).toEqual([
    'accepted',
    'sent',
  ])
  await later(HOUR)
  for (const { id } of [accepted, sent]) {
    expect((await app().reached(id, 'failed')).error?.code).toBe('no_final_status')
  }
  expect((await app().message(delivered.id)).status).toBe('delivered')
  const events = await app().app.store.events.ofMessage((await app().message(accepted.id)).seq)
  expect(events.map(({ type }) => type)).toEqual(['message.failed'])
  await meta().status({ wamid: accepted.messageId, status: 'delivered' })
  await app().reached(accepted.id, 'delivered')
})

it('asks Meta for the history of messages without news', async () => {
  const { app, peer, clock, later } = await startPc()
  const { id, messageId } = (await sendTemplate(app())).body.data
  const at = Math.floor(clock.now() / 1000)
  peer.state.history.set(messageId, [
    { delivery_status: 'SENT', timestamp: at + 1 },
    { delivery_status: 'PLAYED', timestamp: at + 2 },
    { delivery_status: 'DELIVERED', timestamp: at + 3 },
  ])
  await later(HOUR)
  expect((await app().reached(id, 'delivered')).occurredAt).toBe((at + 3) * 1000)
  const events = await app().app.store.events.ofMessage((await app().message(id)).seq)
  expect(events.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered'])
})

it('does not ask an account again after Meta refused three times in a row', async () => {
  const { app, peer, clock, later } = await startPc()
  for (let n = 0; n < 5; n += 1) await sendTemplate(app())
  peer.answerAlways(metaError(100), 'message_history')
  const arrived = peer.requests.length
  await later(HOUR)
  await peer.arrivals(arrived + 3)
  await app().owner('/health')
  await clock.advance(HOUR)
  await app().close()
  expect(peer.requests.slice(arrived).map(({ route }) => route)).toEqual(Array(3).fill('message_history'))
})

it('asks about the other messages if Meta refuses the history of one', async () => {
  const { app, peer, clock, later } = await startPc()
  const first = (await sendTemplate(app())).body.data
  const { id, messageId } = (await sendTemplate(app())).body.data
  peer.state.history.set(messageId, [{ delivery_status: 'SENT', timestamp: Math.floor(clock.now() / 1000) + 1 }])
  peer.answerNext(metaError(100), 'message_history')
  const arrived = peer.requests.length
  await later(HOUR)
  await peer.arrivals(arrived + 1)
  await app().reached(id, 'sent')
  expect((await app().message(first.id)).status).toBe('accepted')
})

it('asks again after Meta was only busy', async () => {
  const { app, peer, clock, later } = await startPc()
  const { id, messageId } = (await sendTemplate(app())).body.data
  peer.state.history.set(messageId, [{ delivery_status: 'SENT', timestamp: Math.floor(clock.now() / 1000) + 1 }])
  peer.answerNext(metaError(80008), 'message_history')
  const arrived = peer.requests.length
  await later(HOUR)
  await peer.arrivals(arrived + 1)
  await app().owner('/health')
  expect((await app().message(id)).status).toBe('accepted')
  await clock.advance(HOUR)
  await app().reached(id, 'sent')
})

it('does not ask while callbacks arrive', async () => {
  const { app, peer, clock, meta } = await startPc()
  const [heard, silent] = [(await sendTemplate(app())).body.data, (await sendTemplate(app())).body.data]
  await clock.advance(45 * 60_000)
  await meta().status({ wamid: heard.messageId, status: 'delivered' })
  await app().reached(heard.id, 'delivered')
  const arrived = peer.requests.length
  await clock.advance(20 * 60_000)
  await app().close()
  expect(peer.requests).toHaveLength(arrived)
  expect(silent.id).not.toBe(heard.id)
})

it('asks about a message less and less often as it gets older', async () => {
  const { app, peer, clock, later } = await startPc()
  await sendTemplate(app())
  const asked = () => peer.requests.filter(({ route }) => route === 'message_history').length
  await later(HOUR)
  for (let hour = 0; hour < 3 * 24; hour += 1) {
    await clock.advance(HOUR)
    await app().owner('/health')
  }
  await app().close()
  expect(asked()).toBeGreaterThan(3)
  expect(asked()).toBeLessThan(10)
})

it('does not ask more often if the PC is off at night', async () => {
  const { app, peer, clock, later } = await startPc()
  await sendTemplate(app())
  for (let day = 0; day < 12; day += 1) {
    await later(15 * HOUR)
    await clock.advance(9 * HOUR)
  }
  await app().close()
  expect(peer.requests.filter(({ route }) => route === 'message_history').length).toBeLessThan(10)
})
