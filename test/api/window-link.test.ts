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

test('a link of an earlier version opens nothing, and says in both languages what to do', async () => {
  for (const token of [OWNER_TOKEN, 'guess']) {
    const answer = await app.fetch(`/?token=${token}`, { headers: html })
    expect(answer.status).toBe(403)
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['content-type']).toMatch(/^text\/html/)
    expect(answer.text).toMatch(/no longer valid[\s\S]*kurir open[\s\S]*tidak berlaku[\s\S]*kurir open/)
    expect(answer.text).not.toContain(token)
  }
})

test('every address of the window is its document, under a strict policy', async () => {
  for (const path of ['/', '/settings', '/messages', '/messages/0194', '/senders/SND-1/link', '/customers/50%']) {
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
  for (const path of ['/messages', '/senders']) {
    expect((await app.fetch(path, { headers })).body.data).toBeInstanceOf(Array)
    expect((await app.fetch(path, { headers: html })).headers.vary).toContain('Accept')
  }
})

test('a page fetches nothing from elsewhere: the addresses of files are chosen by callers', async () => {
  const { headers } = await app.fetch('/', { headers: html })
  expect(headers['content-security-policy']).toMatch(/img-src 'self' data: blob:; media-src 'self' blob:;/)
})
