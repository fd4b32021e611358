// Takes Kurir's callbacks on http://127.0.0.1:8090/: node callback.mjs
// The secret is the whole whsec_… that Kurir's window showed under Webhooks.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'
import { buffer } from 'node:stream/consumers'

const { KURIR_WEBHOOK_SECRET = 'whsec_…', KURIR_INBOX = 'inbox', PORT = '8090' } = process.env

export function isFromKurir(secret, headers, rawBody) {
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = createHmac('sha256', key).update(`${headers['webhook-id']}.${timestamp}.`).update(rawBody)
  const expected = Buffer.from(`v1,${signed.digest('base64')}`)
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const server = createServer(async (req, res) => {
  try {
    const rawBody = await buffer(req)
    if (!isFromKurir(KURIR_WEBHOOK_SECRET, req.headers, rawBody)) return res.writeHead(401).end()
    // Keep it first and answer; another program does the work. A repeated callback has the same id, and so the same file.
    await mkdir(KURIR_INBOX, { recursive: true, mode: 0o700 })
    await writeFile(join(KURIR_INBOX, `${basename(req.headers['webhook-id'])}.json`), rawBody)
    res.writeHead(204).end()
  } catch {
    res.writeHead(500).end()
  }
})
server.listen(Number(PORT), '127.0.0.1')
