import { DEFAULT_CONNECTION_CONFIG } from 'baileys'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createVersionsInUse } from '../../../server/connections/linked/library/versions.ts'
import { systemClock } from '../../../server/lib/clock.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createTestClock } from '../../support/clock.ts'
import { startHttpServer } from '../../support/http-server.ts'
import { createWorld } from './world.ts'

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
    expect(await run.state('restricted')).toMatchObject({ reason: 'locked' })
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

  test('is met again as soon, also where the clock is set back by hours meanwhile', async () => {
    const world = await createWorld()
    const clock = createTestClock()
    const run = world.open({ clock, random: () => 0.5 })
    await run.link()
    world.peer.faults.refuseLogin = () => 503
    await world.peer.stop()
    await run.state('offline')
    await world.peer.start()
    await clock.scheduled(1_000)
    world.peer.faults.refuseLogin = undefined
    clock.jump(-7 * 3_600_000)
    await clock.advance(1_000)
    await run.state('connected')
  })
})

test('a number whose credentials cannot be read for a moment is not called unlinked, and connects when they can', async () => {
  const world = await createWorld()
  const first = world.open()
  await first.link()
  await first.linked.stop()
  const clock = createTestClock()
  let isHeld = true
  const credentials: typeof world.store.sessions.credentials = async (...args) => {
    if (isHeld) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    return world.store.sessions.credentials(...args)
  }
  const initial = { state: 'offline', reason: null, reasonDetail: null, until: null, noConnectionBefore: null } as const
  const run = world.open({ clock, initial, sessions: { ...world.store.sessions, credentials } })
  run.linked.start()
  await clock.scheduled(5_000)
  isHeld = false
  await clock.advance(5_000)
  await run.state('connected')
  expect(run.changes.map(({ state }) => state)).not.toContain('logged_out')
})

describe('a version of the protocol that WhatsApp takes no more', () => {
  const CURRENT = 1_049_000_000
  const bundled = DEFAULT_CONNECTION_CONFIG.version[2]

  /** A linked number, and a server that takes only builds from `least` on and names `named` as current. */
  async function outdated({ named, least }: { named: number; least: number }) {
    const page = await startHttpServer((_req, res) => res.end(`{"client_revision":${named}}`))
    onTestFinished(page.close)
    const world = await createWorld({ versionUrl: page.url })
    world.peer.versions.require(0)
    const clock = createTestClock()
    const run = world.open({ clock })
    await run.link()
    await run.linked.stop()
    world.peer.versions.require(least)
    const seen: number[] = []
    world.peer.faults.refuseLogin = ({ version }) => void seen.push(version[2])
    return { world, clock, seen }
  }

  test('gives way to the one that WhatsApp names, which is kept', async () => {
    const page = await startHttpServer((_req, res) => res.end(`{"client_revision":${CURRENT}}`))
    onTestFinished(page.close)
    const world = await createWorld()
    const first = world.open()
    await first.link()
    await first.linked.stop()
    world.peer.versions.require(CURRENT)
    const seen: number[] = []
    world.peer.faults.refuseLogin = ({ version }) => void seen.push(version[2])
    const versions = () => createVersionsInUse(world.store.meta, page.url, systemClock, createLogger('silent'))
    const run = world.open({ versions: versions() })
    run.linked.start()
    await run.state('connected')
    await run.linked.stop()
    await world.written()
    const after = world.open({ versions: versions() })
    after.linked.start()
    await after.state('connected')
    expect(seen).toEqual([bundled, CURRENT, CURRENT])
  })

  test('is not the one that a number logs in with after it was linked with another', async () => {
    const page = await startHttpServer((_req, res) => res.end(`{"client_revision":${CURRENT}}`))
    onTestFinished(page.close)
    const world = await createWorld({ versionUrl: page.url })
    world.peer.versions.require(CURRENT)
    const seen: number[] = []
    world.peer.faults.refuseLogin = ({ version }) => void seen.push(version[2])
    await world.open().link()
    expect(seen).toEqual([CURRENT])
  })

  test('is tried once a day where there is no other', async () => {
    const { world, clock, seen } = await outdated({ named: bundled, least: CURRENT })
    const run = world.open({ clock })
    run.linked.start()
    const { reason, noConnectionBefore } = await run.state('offline')
    expect({ reason, noConnectionBefore }).toEqual({
      reason: 'protocol_outdated',
      noConnectionBefore: clock.now() + 86_400_000,
    })
    await clock.advance(86_399_000)
    expect(seen).toEqual([bundled])
    world.peer.versions.require(0)
    await clock.advance(1_000)
    await run.state('connected')
  })
})
