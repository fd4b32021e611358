import { join } from 'node:path'
import Database from 'better-sqlite3'
import express from 'express'
import { sendRequest } from '../../server/contract/send.ts'
import { reportReady } from './processes.ts'

/**
 * The server that one would write first: parse, validate, and (with a folder) insert one row per
 * commit with FULL.
 */
const [folder] = process.argv.slice(2)
const app = express()
app.disable('x-powered-by').disable('etag')
app.use(express.json({ limit: '1mb' }))

function openTable(path: string) {
  const db = new Database(join(path, 'bare.db'))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(
    'CREATE TABLE messages (id TEXT PRIMARY KEY, phone TEXT NOT NULL, body TEXT NOT NULL, reference TEXT, metadata TEXT)',
  )
  return db.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?)')
}
const insert = folder === undefined ? undefined : openTable(folder)

app.post('/send', (req, res) => {
  const parsed = sendRequest.safeParse(req.body)
  if (!parsed.success) return void res.status(400).json({ success: false })
  const { phone, message, reference_id, metadata = {} } = parsed.data
  const id = crypto.randomUUID()
  insert?.run(id, phone, message, reference_id ?? null, JSON.stringify(metadata))
  res.json({
    success: true,
    message: 'Message queued.',
    data: { id, message_id: id, sender_code: 'SND-BENCH', recipient: phone, status: 'queued', metadata },
  })
})

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  reportReady({ origin: `http://127.0.0.1:${port}`, key: 'none' }, () => server.close())
})
