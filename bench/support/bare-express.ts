import { join } from 'node:path'
import Database from 'better-sqlite3'
import express from 'express'
import { sendRequest } from '../../server/contract/send.ts'
import { reportReady } from './processes.ts'

/**
 * The simplest server: it parses, validates and (given a folder) inserts one row per commit with
 * synchronous FULL. `shared`: rows of one turn of the event loop share a commit.
 */
const [folder, mode] = process.argv.slice(2)
const app = express()
app.disable('x-powered-by').disable('etag')
app.use(express.json({ limit: '1mb' }))

type Row = [id: string, phone: string, body: string, reference: string | null, metadata: string]

/** Returns a function that stores a row and then calls `stored`. */
function openTable(path: string): (row: Row, stored: () => void) => void {
  const db = new Database(join(path, `bare-${mode}.db`))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(
    'CREATE TABLE messages (id TEXT PRIMARY KEY, phone TEXT NOT NULL, body TEXT NOT NULL, reference TEXT, metadata TEXT)',
  )
  const insert = db.prepare<Row>('INSERT INTO messages VALUES (?, ?, ?, ?, ?)')
  if (mode !== 'shared')
    return (row, stored) => {
      insert.run(...row)
      stored()
    }
  let waiting: { row: Row; stored: () => void }[] = []
  const insertAll = db.transaction((rows: typeof waiting) => {
    for (const { row } of rows) insert.run(...row)
  })
  function flush(): void {
    const rows = waiting
    waiting = []
    insertAll(rows)
    for (const { stored } of rows) stored()
  }
  return (row, stored) => {
    if (waiting.push({ row, stored }) === 1) setImmediate(flush)
  }
}
const store = folder === undefined ? undefined : openTable(folder)

app.post('/send', (req, res) => {
  const parsed = sendRequest.safeParse(req.body)
  if (!parsed.success) return void res.status(400).json({ success: false })
  const { phone, message, reference_id, metadata = {} } = parsed.data
  const id = crypto.randomUUID()
  const answer = () =>
    res.json({
      success: true,
      message: 'Message queued.',
      data: { id, message_id: id, sender_code: 'SND-BENCH', recipient: phone, status: 'queued', metadata },
    })
  if (store === undefined) answer()
  else store([id, phone ?? '', message ?? '', reference_id ?? null, JSON.stringify(metadata)], answer)
})

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  reportReady({ origin: `http://127.0.0.1:${port}`, key: 'none' }, () => server.close())
})
