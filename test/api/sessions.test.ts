import { describe, expect, test } from 'vitest'
import type { SessionView } from '../../server/contract/access.ts'
import { CODE_FRAGMENT, PAGE_TOKEN_HEADER } from '../../server/contract/page-token.ts'
import { createOwnerSessions } from '../../server/http/sessions.ts'
import { OWNER_TOKEN, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { codeOf, openSession } from '../support/session.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const logIn = (app: TestApp, code: string, headers = {}) => app.fetch('/api/sessions', { body: { code }, headers })
const sessionsOf = async (app: TestApp) => (await app.owner<SessionView[]>('/api/sessions')).body.data

describe('a link', () => {
  test('opens one session, and no second one', async () => {
    const app = await startApp()
    const code = codeOf(app.app.newWindowLink().url)
    const first = await logIn(app, code)
    expect(first.status, first.text).toBe(200)
    const cookie = String(first.headers['set-cookie'])
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/)
    const second = await logIn(app, code)
    expect([second.status, second.body.error.code]).toEqual([403, 'owner_only'])
    expect(second.body.message).toContain('kurir open')
    expect(second.headers['set-cookie']).toBeUndefined()
  })

  test('behind https gives a cookie that never goes over plain http', async () => {
    const app = await startApp()
    const code = () => codeOf(app.app.newWindowLink().url)
    const secure = async (origin: string) => {
      const answer = await app.fetch('/api/sessions', { body: { code: code() }, headers: { origin } })
      expect(answer.status, answer.text).toBe(200)
      return String(answer.headers['set-cookie']).includes('; Secure;')
    }
    expect([await secure(app.url.replace('http:', 'https:')), await secure(app.url)]).toEqual([true, false])
  })

  test('ends after 10 minutes', async () => {
    const clock = createTestClock()
    const app = await startApp({ clock })
    const late = codeOf(app.app.newWindowLink().url)
    await clock.advance(10 * MINUTE - 1)
    const code = codeOf(app.app.newWindowLink().url)
    await clock.advance(1)
    expect((await logIn(app, late)).status).toBe(403)
    expect((await logIn(app, code)).status).toBe(200)
  })

  test('holds neither the owner token nor a session, and its code is in no request for a page', async () => {
    const app = await startApp()
    const { body } = await app.owner<{ url: string; lan_urls: string[]; expires_at: string }>('/api/sessions/code', {
      method: 'POST',
    })
    expect(body.data.url).toMatch(new RegExp(`^${app.url}/${CODE_FRAGMENT}[\\w-]{22}$`))
    expect(body.data.lan_urls).toEqual([])
    expect(body.data.url).not.toContain(OWNER_TOKEN)
  })

  test('leads to the LAN as well once the owner allowed that', async () => {
    const app = await startApp({ env: { KURIR_HOST: '0.0.0.0' } })
    const link = async () =>
      (await app.owner<{ url: string; lan_urls: string[] }>('/api/sessions/code', { method: 'POST' })).body.data
    expect((await link()).lan_urls).toEqual([])
    await app.owner('/api/settings', { method: 'PATCH', body: { remote_administration: true } })
    const { url, lan_urls } = await link()
    expect(lan_urls.length).toBeGreaterThan(0)
    for (const each of lan_urls) expect(codeOf(each)).toBe(codeOf(url))
  })

  test('is not taken from a page of another origin, nor from behind a proxy', async () => {
    const app = await startApp()
    const code = codeOf(app.app.newWindowLink().url)
    const others: Record<string, string>[] = [
      { origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': 'same-site' },
      { 'x-forwarded-for': '203.0.113.9' },
    ]
    for (const headers of others) expect((await logIn(app, code, headers)).status).toBe(403)
    expect((await logIn(app, code, { origin: app.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  test('cannot be guessed, and who guesses keeps nobody out', async () => {
    const app = await startApp()
    const code = codeOf(app.app.newWindowLink().url)
    const statuses = []
    for (let i = 0; i < 21; i += 1) statuses.push((await logIn(app, 'guess')).status)
    expect(statuses.at(-1)).toBe(429)
    expect((await logIn(app, code)).status).toBe(200)
    expect((await app.owner('/api/sessions')).status).toBe(200)
  })
})

describe('a session', () => {
  test('needs its cookie and its page token together', async () => {
    const app = await startApp()
    const { headers, cookie, pageToken } = await openSession(app)
    const other = await openSession(app)
    const ask = async (given: Record<string, string>) => (await app.fetch('/api/keys', { headers: given })).status
    expect(await ask(headers)).toBe(200)
    // What every server on another port of this PC gets from the browser.
    expect(await ask({ cookie })).toBe(403)
    expect(await ask({ [PAGE_TOKEN_HEADER]: pageToken })).toBe(403)
    expect(await ask({ cookie, [PAGE_TOKEN_HEADER]: other.pageToken })).toBe(403)
    expect(await ask({ ...headers, origin: 'http://127.0.0.1:1' })).toBe(403)
    expect(await ask({ ...headers, 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await ask({ ...headers, 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await ask({ authorization: `Bearer ${pageToken}` })).toBe(403)
  })

  test('is listed and logged out; its open streams end', async () => {
    const app = await startApp()
    const { id, headers } = await openSession(app, { 'user-agent': 'Mozilla/5.0 (Toko)' })
    const { body } = await app.fetch<SessionView[]>('/api/sessions', { headers })
    expect(body.data).toMatchObject([{ id, current: true, address: '127.0.0.1', browser: 'Mozilla/5.0 (Toko)' }])
    expect(await sessionsOf(app)).toMatchObject([{ id, current: false }])
    const stream = await app.connect('/api/events', { headers })
    const ended = stream.body.text().catch(() => 'cut off')
    expect((await app.owner(`/api/sessions/${id}`, { method: 'DELETE' })).status).toBe(200)
    expect(await ended).toBe('cut off')
    expect((await app.fetch('/api/keys', { headers })).status).toBe(403)
    expect((await app.owner(`/api/sessions/${id}`, { method: 'DELETE' })).status).toBe(404)
  })

  test('goes on after a restart, and is stored only as hashes', async () => {
    const app = await startApp()
    const { headers, cookie, pageToken } = await openSession(app)
    await app.restart(async () => {
      const rows = JSON.stringify(await app.disk.rows('SELECT * FROM owner_sessions'))
      expect(rows).not.toContain(pageToken)
      expect(rows).not.toContain(cookie.split('=')[1])
    })
    // Another port, and so another name of the cookie.
    const name = `kurir_session_${new URL(app.url).port}`
    const moved = { ...headers, cookie: `${name}=${cookie.split('=')[1]}` }
    expect((await app.fetch('/api/keys', { headers: moved })).status).toBe(200)
  })

  test('ends when it was not used for 30 days', async () => {
    const clock = createTestClock()
    const app = await startApp({ clock })
    const { headers } = await openSession(app)
    const ask = async () => (await app.fetch('/api/keys', { headers })).status
    clock.sleep(30 * DAY - MINUTE)
    expect(await ask()).toBe(200)
    clock.sleep(30 * DAY - MINUTE)
    expect(await ask()).toBe(200)
    clock.sleep(30 * DAY)
    expect(await ask()).toBe(403)
    expect(await sessionsOf(app)).toEqual([])
  })

  test('makes room when there are 50: the one that was not used for longest goes', async () => {
    const clock = createTestClock()
    const app = await startApp({ clock })
    const sessions = createOwnerSessions(app.app.store.ownerSessions, () => crypto.randomUUID(), clock, app.app.logger)
    const ids: (string | undefined)[] = []
    for (let i = 0; i < 51; i += 1) {
      await clock.advance(1)
      ids.push((await sessions.open(sessions.issueCode().code, { address: '127.0.0.1', browser: null }))?.id)
    }
    const left = sessions.list(null).map(({ id }) => id)
    expect(left).toEqual(ids.slice(1))
  })
})
