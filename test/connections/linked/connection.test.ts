import { describe, expect, test } from 'vitest'
import { createWorld } from './world.ts'

// Milliseconds. A handshake on a busy computer needs less; each test waits for it once.
const PATIENCE = 600

describe('a server that does not answer', () => {
  test('but refuses the upgrade is given up by the watchdog and tried again', async () => {
    const world = await createWorld()
    const first = world.open()
    await first.link()
    await first.linked.stop()
    world.peer.faults.refuseUpgrade = 503
    const run = world.open({ timeouts: { connection: PATIENCE } })
    run.linked.start()
    expect(await run.state('offline')).toMatchObject({ reason: 'no_answer' })
    world.peer.faults.refuseUpgrade = undefined
    await run.state('connected')
  })

  test('while linking says so and goes on', async () => {
    const world = await createWorld()
    const run = world.open({ timeouts: { connection: PATIENCE } })
    world.peer.faults.refuseUpgrade = 503
    await run.linked.link({ method: 'qr' })
    expect(await run.shown((linking) => linking?.reason === 'no_answer')).toMatchObject({ qr: null })
    world.peer.faults.refuseUpgrade = undefined
    await world.peer.phone('6281100000001').scan(await run.code())
    await run.state('connected')
  })

  test('at login is given up too', async () => {
    const world = await createWorld()
    const first = world.open()
    await first.link()
    await first.linked.stop()
    world.peer.faults.neverAnswer('login')
    const run = world.open({ timeouts: { connection: PATIENCE } })
    run.linked.start()
    await run.state('offline')
    world.peer.faults.answerAgain()
    await run.state('connected')
  })

  test('while the PC sleeps is left in good order, and met again by resume', async () => {
    const world = await createWorld()
    const run = world.open({ timeouts: { connection: PATIENCE } })
    await run.link()
    run.linked.suspend()
    expect(run.view()).toMatchObject({ state: 'offline', reason: 'asleep' })
    expect(run.linked.channel.ready()).toBe(false)
    run.linked.resume()
    await run.state('connected')
  })

  test('is found out by resume; one that does is kept', async () => {
    const world = await createWorld()
    const patient = world.open()
    await patient.link()
    const { length } = world.peer.journal.logins
    patient.linked.resume()
    expect(await patient.send(await world.message('masih di sini'))).toEqual({ kind: 'acknowledged' })
    expect(world.peer.journal.logins.length).toBe(length)
    await patient.linked.stop()
    // How long the question takes that nobody answers; here nothing has to be answered within it.
    const run = world.open({ timeouts: { query: 500 } })
    run.linked.start()
    await run.state('connected')
    world.peer.faults.freeze()
    run.linked.resume()
    expect(await run.state('offline')).toMatchObject({ reason: 'no_answer' })
    world.peer.faults.thaw()
    await run.state('connected')
  })

  test('because it is gone: offline, and back when it is', async () => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    await world.peer.stop()
    await run.state('offline')
    expect(await run.send(await world.message('nanti'))).toEqual({ kind: 'offline' })
    await world.peer.start()
    await run.state('connected')
  })
})

describe('a server that is not WhatsApp', () => {
  test.each(['forged', 'borrowed'] as const)('shows a %s certificate and learns nothing', async (presents) => {
    const world = await createWorld()
    const first = world.open()
    const phone = await first.link()
    await first.linked.stop()
    world.peer.present(presents)
    const run = world.open()
    run.linked.start()
    expect(await run.state('offline')).toMatchObject({ reason: 'untrusted_server' })
    expect(phone.isOnline).toBe(false)
    world.peer.present('genuine')
    await run.state('connected')
  })
})
