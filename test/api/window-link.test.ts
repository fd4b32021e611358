import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { OWNER_TOKEN, startApp } from '../support/app.ts'

const pages = mkdtempSync(join(tmpdir(), 'kurir-pages-'))
writeFileSync(join(pages, 'index.html'), '<!doctype html><title>Kurir</title>')
afterAll(() => rmSync(pages, { recursive: true }))

const app = await startApp({ lives: 'file', overrides: { pages } })
const html = { accept: 'text/html' }

test('the link sets a cookie that scripts and other sites cannot use, and is gone from the address', async () => {
  const answer = await app.fetch(`/?token=${OWNER_TOKEN}`, { headers: html })
  expect(answer.status).toBe(303)
  expect(answer.headers.location).toBe('/')
  const cookie = String(answer.headers['set-cookie'])
  expect(cookie).toMatch(/; HttpOnly/)
  expect(cookie).toMatch(/; SameSite=Strict/)
  const again = await app.fetch('/api/keys', { headers: { cookie: cookie.split(';')[0] ?? '' } })
  expect(again.status).toBe(200)
})

test('a wrong link opens nothing', async () => {
  const answer = await app.fetch('/?token=guess', { headers: html })
  expect(answer.status).toBe(403)
  expect(answer.headers['set-cookie']).toBeUndefined()
})

test('every address of the window is its document, under a strict policy', async () => {
  for (const path of ['/', '/settings', '/messages', '/messages/0194', '/senders/SND-1/link']) {
    const answer = await app.fetch(path, { headers: html })
    expect(answer.text).toContain('<title>Kurir</title>')
    expect(answer.headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  }
})

test('nothing outside the folder is served', async () => {
  for (const path of ['/../package.json', '/..%2fpackage.json', '/%2e%2e/package.json', '/.env'])
    expect((await app.fetch(path)).status, path).toBe(404)
})

test('an unknown path of the interface is 404 in JSON, also for a browser', async () => {
  const answer = await app.fetch('/api/nothing', { headers: { authorization: `Bearer ${OWNER_TOKEN}`, ...html } })
  expect(answer.status).toBe(404)
  expect(answer.body.error.code).toBe('not_found')
})

test('what is a page for a browser stays a list for a program', async () => {
  const headers = { authorization: `Bearer ${OWNER_TOKEN}` }
  for (const path of ['/messages', '/senders'])
    expect((await app.fetch(path, { headers })).body.data).toBeInstanceOf(Array)
})

test('links cannot be guessed: they count as failures', async () => {
  const statuses = []
  for (let i = 0; i < 21; i += 1) statuses.push((await app.fetch('/?token=guess')).status)
  expect(statuses.at(-1)).toBe(429)
  expect((await app.fetch(`/?token=${OWNER_TOKEN}`)).status).toBe(303)
})
