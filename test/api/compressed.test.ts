import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'

const SCRIPT = 'export const shop = "Toko Melati"\n'
const pages = mkdtempSync(join(tmpdir(), 'kurir-test-'))
let app: TestApp

beforeAll(async () => {
  mkdirSync(join(pages, 'assets'))
  writeFileSync(join(pages, 'index.html'), '<!doctype html><title>Kurir</title>')
  const script = join(pages, 'assets', 'shop-1.js')
  writeFileSync(script, SCRIPT)
  writeFileSync(`${script}.br`, brotliCompressSync(SCRIPT))
  writeFileSync(`${script}.gz`, gzipSync(SCRIPT))
  writeFileSync(join(pages, 'assets', 'plain-1.js'), SCRIPT)
  app = await startApp({ lives: 'file', overrides: { pages } })
})

afterAll(() => rmSync(pages, { recursive: true, force: true }))

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['br;q=0', undefined],
  ['', undefined],
  ['brotli', undefined],
])('a browser that takes "%s" gets %s', async (accepted, encoding) => {
  const answer = await app.connect('/assets/shop-1.js', { headers: { 'accept-encoding': accepted } })
  answer.body.destroy()
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-encoding']).toBe(encoding)
  expect(answer.headers['content-type']).toMatch(/^text\/javascript/)
  expect(answer.headers).toMatchObject({
    vary: 'Accept-Encoding',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
})

test('what has no compressed form comes as it is', async () => {
  const answer = await app.fetch('/assets/plain-1.js', { headers: { 'accept-encoding': 'br, gzip' } })
  expect([answer.text, answer.headers['content-encoding']]).toEqual([SCRIPT, undefined])
})
