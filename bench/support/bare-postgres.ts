import express from 'express'
import pg from 'pg'
import { sendRequest } from '../../server/contract/send.ts'
import { reportReady } from './processes.ts'

/**
 * The simplest server on PostgreSQL: it parses, validates and does one INSERT per request, through
 * a pool as large as a node's.
 */
const [databaseUrl = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
await pool.query(
  'CREATE TABLE IF NOT EXISTS bare (id TEXT PRIMARY KEY, phone TEXT NOT NULL, body TEXT NOT NULL, reference TEXT, metadata TEXT)',
)
const app = express()
app.disable('x-powered-by').disable('etag')
app.use(express.json({ limit: '1mb' }))

app.post('/send', async (req, res) => {
  const parsed = sendRequest.safeParse(req.body)
  if (!parsed.success) return void res.status(400).json({ success: false })
  const { phone, message, reference_id, metadata = {} } = parsed.data
  const id = crypto.randomUUID()
  const values = [id, phone, message, reference_id ?? null, JSON.stringify(metadata)]
  await pool.query({ name: 'bare', text: 'INSERT INTO bare VALUES ($1, $2, $3, $4, $5)', values })
  res.json({
    success: true,
    message: 'Message queued.',
    data: { id, message_id: id, sender_code: 'SND-BENCH', recipient: phone, status: 'queued', metadata },
  })
})

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  reportReady({ origin: `http://127.0.0.1:${port}` }, async () => {
    server.close()
    await pool.end()
  })
})
