import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../test/support/postgres-server.ts'
import { type Started, start, temporaryFolder } from './support/processes.ts'
import { median, table } from './support/table.ts'

// An empty database is filled, and kept afterwards: to look at it, or to measure a server with
// settings of your own.
const { BENCH_DATABASE_URL, BENCH_ROWS = '10000000' } = process.env
const ROWS = Number(BENCH_ROWS)
const SENDERS = 20
const ROUNDS = 7
const TOKEN = 'bench-owner-token-0123456789-0123456789'
const DAYS = 365
const YEAR = DAYS * 24 * 3_600_000

/**
 * A year of rows: every third is a template, half a million recipients, five thousand rows waiting.
 */
const messages = (now: number, firstSender: number, senders: number) => `
INSERT INTO messages (seq, id, sender_id, lane_id, channel, recipient, body, template, template_name, reference_id, status, attempts,
  created_at, due_at, expires_at, next_at, occurred_at, provider_message_id, error)
SELECT n, lpad(to_hex(at / 65536), 8, '0') || '-' || lpad(to_hex(at % 65536), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'),
  sender, sender, CASE WHEN n % 3 = 0 THEN 'template' ELSE 'standard' END, '62812' || lpad((n * 7919 % 500000)::text, 8, '0'),
  CASE WHEN n % 3 <> 0 THEN 'Invoice INV-' || n || ' of Rp ' || n * 37 % 900 || '.000 is ready, thank you for buying word' || n * 31 % 20000 END,
  CASE WHEN n % 3 = 0 THEN '{"name":"' || template || '","language":"id","components":[]}' END,
  CASE WHEN n % 3 = 0 THEN template END, 'INV-' || n, status,
  CASE status WHEN 'queued' THEN 0 ELSE 1 END, at, at, at + 86400000, CASE status WHEN 'queued' THEN ${now + YEAR} END, at + 2000,
  CASE WHEN status <> 'queued' THEN '3EB0' || upper(lpad(to_hex(n), 18, '0')) END,
  CASE status WHEN 'failed' THEN '{"code":"' || CASE WHEN n % 2 = 0 THEN 'recipient_not_on_whatsapp' ELSE 'expired' END || '","message":"It could not be sent.","hint":"Look at the number."}' END
FROM (SELECT n, ${now} - (${ROWS}::bigint - n) * ${Math.floor(YEAR / ROWS)} AS at, ${firstSender} + n * n % ${senders} AS sender,
  CASE WHEN n % 30000 = 0 THEN 'rare_one' WHEN n % 2 = 0 THEN 'invoice_ready' ELSE 'order_shipped' END AS template,
  CASE WHEN n > ${ROWS} - 5000 THEN 'queued' WHEN n % 100 < 70 THEN 'read' WHEN n % 100 < 85 THEN 'delivered'
    WHEN n % 100 < 96 THEN CASE WHEN n % 3 = 0 THEN 'delivered' ELSE 'sent' END ELSE 'failed' END AS status
  FROM generate_series(1::bigint, ${ROWS}) AS n) AS numbers`

/** Same form as in server/store/postgres/words.ts. */
const WORDS = `
INSERT INTO messages_words (rowid, words)
SELECT seq, array_to_tsvector(ARRAY['@' || sender_id, 'inv', seq::text]
  || (SELECT array_agg('#' || substr(recipient, at)) FROM generate_series(1, length(recipient) - 3) AS at)
  || CASE WHEN body IS NULL THEN string_to_array(template_name, '_')
     ELSE ARRAY['invoice', 'of', 'rp', (seq * 37 % 900)::text, '000', 'is', 'ready', 'thank', 'you', 'for', 'buying', 'word' || seq * 31 % 20000] END)
FROM messages`

const events = (endpoint: number) => [
  `INSERT INTO events (type, message_seq, at, recorded_at, data)
   SELECT 'message.' || type, seq, created_at + 2000, created_at + 2000, '{}' FROM messages,
     unnest(CASE status WHEN 'read' THEN ARRAY['sent', 'delivered', 'read'] WHEN 'delivered' THEN ARRAY['sent', 'delivered']
       WHEN 'queued' THEN ARRAY[]::text[] ELSE ARRAY[status] END) AS type`,
  `INSERT INTO message_attempts (message_seq, number, at, ended_at, outcome)
   SELECT seq, 1, created_at, created_at + 2000, 'acknowledged' FROM messages WHERE status <> 'queued'`,
  // Only for the newest tenth, because older deliveries are deleted with their attempts.
  `INSERT INTO webhook_deliveries (endpoint_id, event_seq, message_seq, state, tries, next_at, created_at)
   SELECT ${endpoint}, seq, message_seq, CASE WHEN seq % 1000 = 0 THEN 'dead' WHEN seq % 1000 = 1 THEN 'pending' ELSE 'delivered' END, 1,
     CASE WHEN seq % 1000 = 1 THEN recorded_at + ${YEAR} * 2 END, recorded_at
   FROM events WHERE message_seq > ${ROWS * 0.9}`,
]

/** Fills the figures that the store keeps by quarter of an hour. */
const FIGURES = `
INSERT INTO figures (quarter, sender_id, channel, reason, pricing, node, queued, accepted, sending, sent, delivered, read, failed, cancelled,
  became_sent, became_delivered, became_read, became_failed, billed, second_road)
SELECT created_at / 900000 * 900000, sender_id, channel, CASE WHEN status = 'failed' THEN CAST(error AS JSONB) ->> 'code' ELSE '' END, '', 'node',
  count(*) FILTER (WHERE status = 'queued'), 0, 0, count(*) FILTER (WHERE status = 'sent'), count(*) FILTER (WHERE status = 'delivered'),
  count(*) FILTER (WHERE status = 'read'), count(*) FILTER (WHERE status = 'failed'), 0,
  count(*) FILTER (WHERE status IN ('sent', 'delivered', 'read')), count(*) FILTER (WHERE status IN ('delivered', 'read')),
  count(*) FILTER (WHERE status = 'read'), count(*) FILTER (WHERE status = 'failed'), 0, 0
FROM messages GROUP BY 1, 2, 3, 4`

/**
 * Fills the tables without indexes and foreign keys and creates the indexes afterwards, which takes
 * minutes instead of hours.
 */
async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: senders } = await client.query<{ id: string }>(
      "SELECT id FROM senders WHERE kind = 'linked' ORDER BY id",
    )
    const { rows: endpoints } = await client.query<{ id: string }>('SELECT id FROM webhook_endpoints')
    const first = Number(senders[0]?.id)
    if (Number(senders.at(-1)?.id) - first !== senders.length - 1) throw new Error('other senders are there')
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE tablename IN ('messages', 'events', 'message_attempts', 'webhook_deliveries', 'messages_words')
         AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = indexname)`,
    )
    await client.query("SET session_replication_role = 'replica'")
    await client.query("SET maintenance_work_mem = '2GB'")
    await client.query(`DROP INDEX ${indexes.map(({ name }) => name).join(', ')}`)
    const statements = [
      messages(Date.now(), first, senders.length),
      FIGURES,
      WORDS,
      ...events(Number(endpoints[0]?.id)),
      "SELECT setval(pg_get_serial_sequence('messages', 'seq'), max(seq)) FROM messages",
      `INSERT INTO meta (name, value) VALUES ('searched_up_to', '${ROWS}') ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      ...indexes.map(({ definition }) => definition),
      'VACUUM ANALYZE',
    ]
    for (const statement of statements) {
      const began = performance.now()
      await client.query(statement)
      console.error(`${Math.round((performance.now() - began) / 1_000)} s: ${statement.trim().slice(0, 60)}`)
    }
  } finally {
    await client.end()
  }
}

interface Ready {
  origin: string
}

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

async function ask<D>(
  { ready }: Started<Ready>,
  path: string,
  body?: unknown,
): Promise<{ data: D; next_cursor?: string }> {
  const answer = await fetch(ready.origin + path, {
    headers,
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

/** Returns the paths of pages that the window and callers request. */
const pages = (code: string, id: string, month: string): Record<string, string> => ({
  'newest first': '/api/messages?limit=50',
  'API Message Logs (templates)': '/api/messages?channel=template&limit=50',
  'one sender': `/api/messages?sender_code=${code}&limit=50`,
  'templates of one sender': `/api/messages?sender_code=${code}&channel=template&limit=50`,
  'a number': '/api/messages?recipient=6281200012345&limit=50',
  'a reference': '/api/messages?reference_id=INV-1234567&limit=50',
  'a common template': '/api/messages?channel=template&template_name=invoice_ready&limit=50',
  'a rare template': '/api/messages?channel=template&template_name=rare_one&limit=50',
  'failed ones': '/api/messages?status=failed&limit=50',
  'failed ones of one sender': `/api/messages?status=failed&sender_code=${code}&limit=50`,
  'failed ones of a rare template': '/api/messages?status=failed&channel=template&template_name=rare_one&limit=50',
  'failed templates': '/api/messages?status=failed&channel=template&limit=50',
  'waiting or on their way': '/api/messages?status=queued,sending,accepted&limit=50',
  'failed since a week': `/api/messages?status=failed&failed_from=${new Date(Date.now() - 7 * 86_400_000).toISOString()}&limit=50`,
  'a day eleven months ago': `/api/messages?from=${dayAgo(335)}&to=${dayAgo(334)}&limit=50`,
  'a day of one sender': `/api/messages?from=${dayAgo(335)}&to=${dayAgo(334)}&sender_code=${code}&limit=50`,
  'failed ones of a month': `/api/messages?status=failed&from=${dayAgo(300)}&to=${dayAgo(270)}&limit=50`,
  'a part of a number': '/api/messages?q=00012345&limit=50',
  'four digits of a number': '/api/messages?q=2345&limit=50',
  'a word of two thirds of all texts': '/api/messages?q=invoice&limit=50',
  'the same, of one sender': `/api/messages?q=invoice&sender_code=${code}&limit=50`,
  'the same, failed': '/api/messages?q=invoice&status=failed&limit=50',
  'two common words': '/api/messages?q=thank+ready&limit=50',
  'the beginning of words': '/api/messages?q=wor&limit=50',
  'a rare word': '/api/messages?q=word12345&limit=50',
  'an invoice': '/api/messages?q=INV-1234567&limit=50',
  'words of a text': '/api/messages?q=invoice+1234567&limit=50',
  'a word that is nowhere': '/api/messages?q=nowhere&limit=50',
  'a message': `/api/messages/${id}`,
  'a customer': '/api/customers/6281200012345',
  'a month in figures': `/api/summary?month=${month}`,
  'this month in figures': `/api/summary?month=${dayAgo(0).slice(0, 7)}`,
  'what Meta charges': `/api/pricing?month=${month}`,
  callbacks: '/api/deliveries?limit=50',
  'callbacks that wait': '/api/deliveries?state=pending&limit=50',
  'callbacks given up': '/api/deliveries?state=dead&limit=50',
  'callbacks of a message': `/api/deliveries?message_id=${id}&limit=50`,
  'refused calls': '/api/refused-calls?limit=50',
  Home: '/api/overview',
  senders: '/api/senders',
  endpoints: '/api/webhooks',
  nodes: '/api/nodes',
  health: '/health',
  metrics: '/metrics',
})

const dayAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()

async function timesOf(node: Started<Ready>, path: string): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now()
    const answer = await fetch(node.ready.origin + path, { headers })
    const text = await answer.text()
    times.push(performance.now() - began)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  }
  return times
}

/**
 * Measures every page and search of the API on PostgreSQL with a year's log of ten million
 * messages, in milliseconds; the aim is 50.
 */
export async function benchRows(): Promise<string> {
  const folder = temporaryFolder()
  const server =
    BENCH_DATABASE_URL === undefined ? await startPostgres({ shared_buffers: '1GB', max_wal_size: '8GB' }) : undefined
  const url = BENCH_DATABASE_URL ?? server?.url ?? ''
  const keyFile = join(folder.path, 'vault.key')
  writeFileSync(keyFile, '5a'.repeat(32), { mode: 0o600 })
  const startNode = () => start<Ready>('kurir-node.ts', [join(folder.path, 'node'), url, keyFile, 'node', TOKEN])
  let node = await startNode()
  const isEmpty = (await ask<unknown[]>(node, '/api/messages?limit=1')).data.length === 0
  if (isEmpty) {
    for (let n = 0; n < SENDERS; n += 1) await ask(node, '/api/senders', { kind: 'linked', name: `Shop ${n}` })
    await ask(node, '/api/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['message.sent', 'message.read', 'message.failed'],
    })
    await node.stop()
    await fill(url)
    node = await startNode()
  }
  const { data: senders } = await ask<{ sender_code: string; kind: string }[]>(node, '/api/senders')
  const code = senders.find(({ kind }) => kind === 'linked')?.sender_code ?? ''
  const { data } = await ask<{ id: string }[]>(node, '/api/messages?reference_id=INV-1234567&limit=1')
  const rows: string[][] = []
  const month = dayAgo(60).slice(0, 7)
  for (const [name, path] of Object.entries(pages(code, data[0]?.id ?? '', month))) {
    const times = await timesOf(node, path)
    rows.push([name, median(times).toFixed(1), Math.max(...times).toFixed(1)])
    console.error(rows.at(-1)?.join(': '))
  }
  await node.stop()
  await server?.close()
  folder.remove()
  return table([`of ${ROWS.toLocaleString('en')} messages`, 'ms', `worst of ${ROUNDS}`], rows)
}

if (import.meta.main) console.log(await benchRows())
