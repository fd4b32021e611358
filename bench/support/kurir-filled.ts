import { join } from 'node:path'
import Database from 'better-sqlite3'
import { startBuilt } from './built.ts'
import { reportReady } from './processes.ts'
import { answerForStretches } from './stretches.ts'

/** Kurir with a full log: 300,000 messages of a shop, and 400 long texts of its neighbour. */
const [home = ''] = process.argv.slice(2)
const SHOP_ROWS = 300_000
const LONG_TEXTS = 400
const LONGEST_TEXT = 65_536
const KEYS = 16
const SPAN_MS = 60 * 24 * 3_600_000

const { app: unfilled, call } = await startBuilt(home)
const keyOf = async (name: string, sender_code: string | undefined): Promise<string> =>
  (await call('/api/keys', { kind: 'device', name, sender_code })).key ?? ''

const shop = await call('/api/senders', { kind: 'linked', name: 'Shop' })
const empty = await call('/api/senders', { kind: 'linked', name: 'Empty' })
const mouths = ['fonnte', 'wablas', 'panel', 'waha', 'cloud']
await call('/api/settings', Object.fromEntries(mouths.map((name) => [`compat_${name}`, true])), 'PATCH')
const neighbours: string[] = []
for (let n = 0; n < KEYS; n += 1) neighbours.push(await keyOf(`Neighbour ${n}`, 'SND-SANDBOX'))
const keys = {
  shop: await keyOf('Shop', shop.sender_code),
  empty: await keyOf('Empty', empty.sender_code),
  neighbours,
}
await unfilled.close()
fill()
const { app } = await startBuilt(home)
answerForStretches()
reportReady({ origin: app.apiUrl(), owner: app.ownerToken, ...keys }, app.close)

function fill(): void {
  const db = new Database(join(home, 'kurir.db'))
  const insert = (rows: number, code: string, body: string) =>
    db
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < @rows)
         INSERT INTO messages (id, sender_id, lane_id, channel, recipient, body, reference_id, status, attempts,
           created_at, due_at, expires_at, occurred_at)
         SELECT lower(hex(randomblob(16))), senders.id, senders.id, 'standard', printf('62812%07d', n % 50000), ${body},
           'INV-' || n, 'read', 1, at, at, at, at
         FROM (SELECT n, @now - (@rows - n) * @apart AS at FROM numbers), senders WHERE senders.code = @code`,
      )
      .run({ rows, code, now: Date.now() - 3_600_000, apart: Math.floor(SPAN_MS / rows) })
  insert(SHOP_ROWS, shop.sender_code ?? '', `'Invoice INV-' || n || ' is ready, thank you'`)
  insert(
    LONG_TEXTS,
    'SND-SANDBOX',
    `substr(replace(hex(zeroblob(${LONGEST_TEXT / 2})), '00', 'a '), 1, ${LONGEST_TEXT})`,
  )
  db.exec(`
    INSERT INTO messages_words (rowid, sender, numbers, body, reference, template)
      SELECT seq, 's' || sender_id, recipient, substr(body, 1, 100), reference_id, NULL FROM messages;
    INSERT INTO meta (name, value) SELECT 'searched_up_to', max(seq) FROM messages WHERE true
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
  db.close()
}
