import { type BinaryNode, DEFAULT_CONNECTION_CONFIG, type WAVersion } from 'baileys'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  afterOutdated,
  announced,
  createVersionsInUse,
  fetchVersion,
  isExpiring,
  loggedIn,
  NO_VERSIONS,
  readRevision,
  versionToUse,
} from '../../../server/connections/linked/library/versions.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import type { MetaStore } from '../../../server/store/index.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { EARLY_HINTS, startFlood } from '../../support/flood.ts'
import { startHttpServer } from '../../support/http-server.ts'

const NOW = Date.UTC(2026, 10, 21, 8)
const DAY = 24 * 3_600_000
const OLD: WAVersion = [2, 3000, 1_043_857_760]
const NEW: WAVersion = [2, 3000, 1_045_649_367]

describe('the revision that a page names', () => {
  test.each([
    ['sw.js today', 'self.__x={\\"client_revision\\":1045649367,\\"b\\":1}'],
    ['unescaped', '{"client_revision": 1045649367}'],
    ['without quotes', 'client_revision:1045649367;'],
    ['among others', '{"server_revision":1000000000,"client_revision":1045649367,"x":2}'],
  ])('%s', (_, page) => {
    expect(readRevision(page)).toEqual(NEW)
  })
  test.each(['', '<html>Update your browser</html>', '"client_revision":"next"', '"client_revision":42'])(
    'none in %s',
    (page) => {
      expect(readRevision(page)).toBeUndefined()
    },
  )
})

describe('the current version is asked for', () => {
  async function serve(status: number, body: string) {
    const seen: Record<string, unknown>[] = []
    const server = await startHttpServer((req, res) => {
      seen.push(req.headers)
      res.writeHead(status).end(body)
    })
    onTestFinished(() => server.close())
    return { url: server.url, seen }
  }

  test('as a browser asks', async () => {
    const { url, seen } = await serve(200, '{"client_revision":1045649367}')
    expect(await fetchVersion(url)).toEqual(NEW)
    expect(seen[0]).toMatchObject({
      'user-agent': expect.stringMatching(/Chrome\/1[4-9]\d\./),
      accept: expect.stringContaining('text/html'),
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'none',
      'sec-fetch-user': '?1',
    })
  })
  test.each([
    [403, 'no', 'HTTP 403'],
    [200, 'hello', 'no revision'],
    [200, `${'x'.repeat(5_000_000)}"client_revision":1045649367`, 'no revision'],
  ])('and not believed: HTTP %i %.5s', async (status, body, words) => {
    const { url } = await serve(status, body)
    await expect(fetchVersion(url)).rejects.toThrow(words)
  })
  test('and not waited for where it never begins', async () => {
    const { port } = await startFlood('', EARLY_HINTS)
    await expect(fetchVersion(`http://127.0.0.1:${port}/`)).rejects.toThrow(/its answer has more than \d+ bytes/)
  })
})

describe('the version to connect with', () => {
  test('is the bundled one, then whatever newer one logged in', () => {
    expect(versionToUse(NO_VERSIONS, OLD)).toEqual(OLD)
    expect(versionToUse(loggedIn(NO_VERSIONS, NEW), OLD)).toEqual(NEW)
    expect(versionToUse(loggedIn(NO_VERSIONS, OLD), NEW)).toEqual(NEW)
  })

  test('after 405 is the current one, once; then the owner has to update, and a day is waited', () => {
    const first = afterOutdated(loggedIn(NO_VERSIONS, OLD), { used: OLD, fetched: NEW, now: NOW })
    expect(first.next).toEqual({ version: NEW })
    const second = afterOutdated(first.versions, { used: NEW, fetched: NEW, now: NOW + 1 })
    expect(second.next).toEqual({ waitMs: DAY })
    // A restart begins with the bundled version; the current one is known to be refused.
    const third = afterOutdated(second.versions, { used: OLD, fetched: NEW, now: NOW + 2 })
    expect(third.next).toEqual({ waitMs: DAY })
  })

  test('after 405 is tried again when a day has passed', () => {
    const { versions } = afterOutdated(NO_VERSIONS, { used: NEW, fetched: NEW, now: NOW })
    expect(afterOutdated(versions, { used: OLD, fetched: NEW, now: NOW + DAY }).next).toEqual({ version: NEW })
  })

  test('after 405 without an answer is waited for', () => {
    expect(afterOutdated(NO_VERSIONS, { used: OLD, fetched: undefined, now: NOW }).next).toEqual({ waitMs: DAY })
  })

  test('that was refused is good no more', () => {
    const { versions } = afterOutdated(loggedIn(NO_VERSIONS, NEW), { used: NEW, fetched: undefined, now: NOW })
    expect(versionToUse(versions, OLD)).toEqual(OLD)
  })
})

describe('an announced end', () => {
  const node = (attrs: Record<string, string>): BinaryNode => ({
    tag: 'ib',
    attrs: {},
    content: [{ tag: 'client_expiration', attrs }],
  })
  const at = (ms: number) => node({ t: String(ms / 1000) })

  test('is kept for this version; the earliest counts', () => {
    const late = announced(NO_VERSIONS, at(NOW + 10 * DAY), OLD)
    expect(late.expires).toEqual({ version: OLD, at: NOW + 10 * DAY })
    const early = announced(late, at(NOW + 5 * DAY), OLD)
    expect(early.expires?.at).toBe(NOW + 5 * DAY)
    expect(announced(early, at(NOW + 10 * DAY), OLD)).toBe(early)
    expect(announced(early, at(NOW + 10 * DAY), NEW).expires).toEqual({ version: NEW, at: NOW + 10 * DAY })
  })
  test('is taken back by one without a time, and by nothing else', () => {
    const held = announced(NO_VERSIONS, at(NOW + DAY), OLD)
    expect(announced(held, node({}), OLD).expires).toBeNull()
    for (const t of ['', '-5', 'soon', '1e9']) expect(announced(held, node({ t }), OLD)).toBe(held)
    expect(announced(held, { tag: 'ib', attrs: {} }, OLD)).toBe(held)
  })
  test('is acted on two days before', () => {
    const held = announced(NO_VERSIONS, at(NOW + 10 * DAY), OLD)
    expect(isExpiring(held, OLD, NOW + 8 * DAY - 1)).toBe(false)
    expect(isExpiring(held, OLD, NOW + 8 * DAY)).toBe(true)
    expect(isExpiring(held, NEW, NOW + 8 * DAY)).toBe(false)
    expect(isExpiring(NO_VERSIONS, OLD, NOW)).toBe(false)
  })
})

describe('the version that all senders use', () => {
  const CURRENT = 1_049_000_000
  const bundled = DEFAULT_CONNECTION_CONFIG.version
  const expiration = (t: number): BinaryNode => ({
    ...{ tag: 'ib', attrs: {} },
    content: [{ tag: 'client_expiration', attrs: { t: String(t) } }],
  })

  async function inUse() {
    const page = await startHttpServer((_req, res) => res.end(`{"client_revision":${CURRENT}}`))
    onTestFinished(page.close)
    const kept = new Map<string, string>()
    const meta: MetaStore = {
      get: (name) => kept.get(name),
      save: async (name, value) => void kept.set(name, value),
      keep: async (_name, value) => value,
    }
    const clock = createTestClock()
    const logger = createLogger('silent')
    const open = (url: string) => createVersionsInUse(meta, url, clock, logger)
    return { page, clock, kept, meta, logger, open, versions: open(page.url) }
  }

  test('is read again before WhatsApp stops taking it', async () => {
    const { versions, clock } = await inUse()
    await versions.announced(expiration((clock.now() + 3_600_000) / 1000), bundled)
    expect(versions.current()).toEqual([2, 3000, CURRENT])
  })

  test('goes on where the one that was read ahead of time is refused', async () => {
    const { versions, clock } = await inUse()
    await versions.announced(expiration((clock.now() + 3_600_000) / 1000), bundled)
    expect(await versions.outdated(versions.current())).toBe(true)
    expect(versions.current()).toEqual(bundled)
  })

  test('stays the newer one when a connection that began earlier logs in with an older', async () => {
    const { versions, clock } = await inUse()
    await versions.announced(expiration((clock.now() + 3_600_000) / 1000), bundled)
    versions.loggedIn(bundled)
    expect(versions.current(), 'read ahead of time').toEqual([2, 3000, CURRENT])
    versions.loggedIn([2, 3000, CURRENT])
    versions.loggedIn(bundled)
    expect(versions.current(), 'logged in').toEqual([2, 3000, CURRENT])
  })

  test('is for a link the newest that is known, also where it cannot be read now', async () => {
    const { page, open, versions } = await inUse()
    expect(await versions.forLink()).toEqual([2, 3000, CURRENT])
    await page.close()
    const later = open(page.url)
    expect(await later.forLink(), 'after a restart').toEqual([2, 3000, CURRENT])
    expect(later.current(), 'for a login').toEqual(bundled)
    await later.outdated([2, 3000, CURRENT])
    expect(await later.forLink(), 'which was refused').toEqual(bundled)
  })

  test('is read each day by when it was last read, also over a restart', async () => {
    const { page, clock, kept, logger, meta } = await inUse()
    const stop = new AbortController()
    createVersionsInUse(meta, page.url, clock, logger, stop.signal)
    await clock.advance(0)
    const read = () => (JSON.parse(kept.get('whatsapp_versions') ?? '{}') as { readAt?: number }).readAt
    await eventually(() => read() === clock.now())
    const first = clock.now()
    await clock.advance(20 * 3_600_000)
    stop.abort()
    const next = new AbortController()
    onTestFinished(() => next.abort())
    createVersionsInUse(meta, page.url, clock, logger, next.signal)
    expect(read()).toBe(first)
    await clock.advance(4 * 3_600_000)
    await eventually(() => read() === first + DAY)
  })

  test('is said not to be known where it was not read for a day, and where it can be read at all', async () => {
    const { page, clock, versions, open } = await inUse()
    await versions.forLink()
    expect(versions.isKnown()).toBe(true)
    await page.close()
    await clock.advance(DAY)
    expect(versions.isKnown()).toBe(false)
    await versions.forLink()
    expect(versions.isKnown()).toBe(false)
    expect(open(page.url).isKnown(), 'after a restart').toBe(false)
  })

  test('is not forgotten by a refusal of another that is being looked into meanwhile', async () => {
    const { versions, open, page } = await inUse()
    const looking = versions.outdated([2, 3000, 1])
    versions.loggedIn([2, 3000, CURRENT + 1])
    await looking
    versions.loggedIn(bundled)
    expect(open(page.url).current()).toEqual([2, 3000, CURRENT + 1])
    await page.close()
    expect(await open(page.url).forLink()).toEqual([2, 3000, CURRENT + 1])
  })

  test('is not tried again where both were refused', async () => {
    const { versions } = await inUse()
    expect(await versions.outdated(bundled)).toBe(true)
    expect(await versions.outdated(versions.current())).toBe(false)
  })
})
