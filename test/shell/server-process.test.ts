import { describe, expect, test } from 'vitest'
import { createServerProcess } from '../../main/server-process.ts'
import { FakeServerChild } from './support/electron.ts'
import { createTimers } from './support/timers.ts'

function createServer() {
  const timers = createTimers()
  const children: FakeServerChild[] = []
  const reports: string[] = []
  const server = createServerProcess({
    fork() {
      const child = new FakeServerChild()
      children.push(child)
      return child
    },
    init: () => ({ vaultKeyHex: '00'.repeat(32), ownerToken: 'token', home: '/data' }),
    onGone: () => {},
    schedule: timers.schedule,
    onReady: (url) => reports.push(`ready ${url}`),
    onAttention: () => reports.push('attention'),
    onCrash: () => reports.push('crash'),
    onFailed: (message) => reports.push(`failed ${message}`),
  })
  const child = () => children.at(-1) as FakeServerChild
  const getsReady = () => child().says({ type: 'ready', url: 'http://127.0.0.1:1' })
  const crashes = () => child().emit('exit', 139)
  server.start()
  return { server, timers, children, reports, child, getsReady, crashes }
}

describe('a crash', () => {
  test('brings the server back after pauses that double up to 30 s', () => {
    const { children, timers, getsReady, crashes } = createServer()
    getsReady()
    for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      crashes()
      const before = children.length
      timers.advance(pause - 1)
      expect(children).toHaveLength(before)
      timers.advance(1)
      expect(children).toHaveLength(before + 1)
    }
  })

  test('is reported once for a series, and again after the server ran for a minute', () => {
    const { reports, timers, getsReady, crashes } = createServer()
    getsReady()
    crashes()
    timers.advance(1_000)
    getsReady()
    crashes()
    expect(reports.filter((it) => it === 'crash')).toHaveLength(1)

    timers.advance(2_000)
    getsReady()
    timers.advance(60_000)
    crashes()
    expect(reports.filter((it) => it === 'crash')).toHaveLength(2)
  })

  test('three times before it was ever ready is a failure for the owner to see', () => {
    const { reports, timers, children, crashes } = createServer()
    crashes()
    timers.advance(1_000)
    crashes()
    timers.advance(2_000)
    crashes()
    timers.advance(600_000)
    expect(reports).toEqual(['crash', 'failed null'])
    expect(children).toHaveLength(3)
  })

  test('during the pause before the next start, stopping is done at once', async () => {
    const { server, timers, children, getsReady, crashes } = createServer()
    getsReady()
    crashes()
    await server.stop()
    expect(timers.pending()).toBe(0)
    expect(children).toHaveLength(1)
  })
})

test('a server that says why it cannot start is not started again by itself', () => {
  const { reports, timers, children, child } = createServer()
  child().says({ type: 'failed', message: 'Port 7420 is taken.' })
  timers.advance(600_000)
  expect(reports).toEqual(['failed Port 7420 is taken.'])
  expect(children).toHaveLength(1)
})

test('a word that is not in the protocol is refused loudly', () => {
  const { child } = createServer()
  expect(() => child().emit('message', { type: 'ready', url: 'javascript:alert(1)' })).toThrow()
  expect(() => child().emit('message', { type: 'unknown' })).toThrow()
})

test('a server that gets ready while it is stopped opens no window, and ends by force', async () => {
  const { server, timers, reports, child, getsReady } = createServer()
  void server.stop()
  getsReady()
  expect(reports).toEqual([])
  timers.advance(15_000)
  expect(child().killed).toBe(true)
  expect(timers.pending()).toBe(0)
})

test('a restart within the process leaves one timer', () => {
  const { timers, getsReady } = createServer()
  getsReady()
  getsReady()
  expect(timers.pending()).toBe(1)
})

test('stopping leaves no timer behind', async () => {
  const { server, timers, child, getsReady } = createServer()
  getsReady()
  const stopped = server.stop()
  child().says({ type: 'stopped' })
  await stopped
  expect(timers.pending()).toBe(0)
})
