import { describe, expect, test } from 'vitest'
import { verdictOf } from '../../../server/connections/linked/closing.ts'
import { VERSIONS } from '../../../server/connections/linked/socket.ts'
import { createTestClock } from '../../support/clock.ts'
import { createWorld } from './world.ts'

describe('what a closing code means', () => {
  test.each([
    [515, { next: 'restart-now' }],
    [440, { next: 'stop', state: 'replaced', reason: 'connected_elsewhere' }],
    [401, { next: 'stop', state: 'logged_out', reason: 'unlinked_on_phone' }],
    [403, { next: 'stop', state: 'restricted', reason: 'restricted_by_whatsapp' }],
    [405, { next: 'other-version', reason: 'protocol_outdated' }],
    [408, { next: 'reconnect', reason: 'no_answer' }],
    [411, { next: 'reconnect', reason: 'connection_lost' }],
    [428, { next: 'reconnect', reason: 'connection_lost' }],
    [500, { next: 'reconnect', reason: 'whatsapp_unavailable' }],
    [503, { next: 'reconnect', reason: 'whatsapp_unavailable' }],
    [400, { next: 'reconnect', reason: 'untrusted_server' }],
    [418, { next: 'reconnect', reason: 'connection_lost' }],
    [undefined, { next: 'reconnect', reason: 'connection_lost' }],
  ])('%s', (code, verdict) => {
    expect(verdictOf(code)).toEqual(verdict)
  })
})

describe('a connection that the server closes', () => {
  test.each([500, 503, 428, 411])('with %i comes back', async (code) => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    phone.disconnect(code)
    expect(await run.state('offline')).toMatchObject({ reason: expect.stringMatching(/lost|unavailable/) })
    await run.state('connected')
    expect(await run.send(await world.message('masih ada'))).toEqual({ kind: 'acknowledged' })
  })

  test('with 515 comes back at once', async () => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    phone.disconnect(515)
    await run.state('connecting')
    await run.state('connected')
    expect(run.changes.some(({ state }) => state === 'offline')).toBe(false)
  })

  test('with 403 stays away until the owner resumes it', async () => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    phone.disconnect(403)
    expect(await run.state('restricted')).toMatchObject({ reason: 'restricted_by_whatsapp' })
    run.linked.resume()
    await run.state('connected')
  })

  test('again and again is asked ever more rarely', async () => {
    const world = await createWorld()
    const clock = createTestClock()
    const run = world.open({ clock, random: () => 0.5 })
    await run.link()
    world.peer.faults.refuseLogin = () => 503
    await world.peer.stop()
    await run.state('offline')
    await world.peer.start()
    for (const wait of [1_000, 2_000, 4_000, 8_000]) {
      await clock.scheduled(wait)
      await clock.advance(wait)
    }
    await clock.scheduled(16_000)
    world.peer.faults.refuseLogin = undefined
    await clock.advance(16_000)
    await run.state('connected')
  })
})

describe('a version of the protocol that WhatsApp takes no more', () => {
  test('gives way to the next one', async () => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    await run.linked.stop()
    const refused: number[] = []
    world.peer.faults.refuseLogin = ({ version }) => {
      if (version[2] !== VERSIONS[0][2]) return undefined
      refused.push(version[2])
      return 405
    }
    const next = world.open()
    next.linked.start()
    await next.state('connected')
    expect(refused).toEqual([VERSIONS[0][2]])
  })

  test('is told in plain words when all were tried', async () => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    await run.linked.stop()
    const seen: number[] = []
    world.peer.faults.refuseLogin = ({ version }) => {
      seen.push(version[2])
      return 405
    }
    const next = world.open()
    next.linked.start()
    expect(await next.state('offline')).toMatchObject({ reason: 'protocol_outdated' })
    expect(seen).toEqual(VERSIONS.map((version) => version[2]))
  })
})
