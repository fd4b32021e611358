import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { migrations } from '../../../server/store/sqlite/schema.ts'
import { createRandom } from '../../crash/random.ts'
import { SANDBOX, startApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'

// Only on one PC: nodes that share a database never go by a clock that is wrong.
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = 30
/** Between two marks of the time a program that ends does not know how long it ran. */
const MARKED_EVERY = 10 * MINUTE
const DEFAULT_END = 7 * DAY
/** Longest wait before another attempt, with its share of chance. */
const LONGEST_RETRY = 30 * HOUR

/** What every stored time of the schema is. A new one has to be named here, and to be looked at in `store/sqlite/time.ts`. */
const TIMES: Record<'history' | 'moment' | 'wait' | 'kept', string[]> = {
  history: [
    ...[
      'senders.since',
      'senders.created_at',
      'senders.deleted_at',
      'sending_state.last_sent_at',
      'api_keys.created_at',
    ],
    ...[
      'api_keys.last_used_at',
      'api_keys.revoked_at',
      'messages.created_at',
      'messages.occurred_at',
      'message_attempts.at',
    ],
    ...['message_attempts.ended_at', 'events.at', 'events.recorded_at', 'webhook_endpoints.created_at'],
    ...[
      'webhook_endpoints.last_delivered_at',
      'webhook_deliveries.created_at',
      'webhook_attempts.at',
      'contacts.checked_at',
    ],
    ...['contacts.last_message_at', 'meta_inbox.received_at', 'meta_inbox.applied_at', 'early_statuses.received_at'],
    ...['official_facts.checked_at', 'official_facts.templates_synced_at', 'official_facts.last_status_at'],
    ...['templates.synced_at', 'owner_sessions.created_at', 'owner_sessions.last_used_at'],
    ...[
      'owner_acts.at',
      'refused_calls.at',
      'refused_calls.since',
      'prints.at',
      'drops.at',
      'saved_texts.changed_at',
      'send_tables.created_at',
      'send_tables.changed_at',
      'send_tables.planned_at',
      'files.created_at',
      'suppressions.at',
      'replies_seen.at',
    ],
  ],
  moment: [
    ...['senders.until', 'senders.no_connection_before', 'api_keys.expires_at', 'contacts.timer_set_at'],
    ...['official_facts.token_ends_at'],
  ],
  wait: [
    ...['sending_state.paced_until', 'sending_state.restricted_until', 'messages.due_at', 'messages.expires_at'],
    ...['messages.next_at', 'webhook_deliveries.next_at', 'marketing_holds.until'],
  ],
  kept: ['idempotency.created_at', 'files.expires_at', 'replies.expires_at'],
}

test('every stored time of the schema is known', () => {
  const db = new Database(':memory:')
  for (const { sql } of migrations) db.exec(sql)
  const columns = db
    .prepare<[], { name: string }>(
      `SELECT t.name || '.' || c.name AS name FROM sqlite_master t JOIN pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'messages_words%' AND c.type = 'INTEGER'
         AND (c.name IN ('at', 'since', 'until') OR c.name GLOB '*_at' OR c.name GLOB '*_until' OR c.name GLOB '*_before')`,
    )
    .all()
    .map(({ name }) => name)
  db.close()
  expect(columns.sort()).toEqual(Object.values(TIMES).flat().sort())
})

interface Row {
  id: string
  status: string
  due_at: number
  expires_at: number
  next_at: number | null
}

interface Told {
  /** What was named, in milliseconds since 1970. */
  dueAt?: number
  expiresAt?: number
  /** How long it was told to wait, and since when (in time that the program knows to have passed). */
  delay?: number
  ttl?: number
  at: number
}

test.each(Array.from({ length: 6 }, () => Math.floor(Math.random() * 2 ** 31)))(
  'a clock that is set again and again: named moments stay, no wait grows (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const below = (n: number) => Math.floor(random() * n)
    const clock = createTestClock(random() < 0.3 ? Date.UTC(2020, 0, 1) : undefined)
    const app = await startApp({ clock, overrides: { random: () => 0.5 } })
    const told = new Map<string, Told>()
    let off = 0
    let unknown = 0
    let jumped = 0
    const known = () => clock.trueTime() + jumped - off
    const done: string[] = []
    const iso = (ms: number) => new Date(ms).toISOString()

    await app.owner('/api/webhooks', { body: { url: 'http://127.0.0.1:9', events: ['message.sent'] } })
    const quick = await app.sender('sandbox')
    await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })

    async function send(): Promise<void> {
      const now = clock.now()
      const delay = below(3) * below(6 * 3600)
      const times: Told = { at: known() }
      if (random() < 0.4) times.dueAt = now + below(3 * DAY) + HOUR
      else times.delay = delay * SECOND
      const due = times.dueAt ?? now + delay * SECOND
      if (random() < 0.3) times.expiresAt = due + MINUTE + below(2 * DAY)
      else if (random() < 0.4 && times.dueAt === undefined) times.ttl = (below(7200) + 30) * SECOND
      const body = {
        ...{ phone: '6281234567890', message: 'Halo', sender_code: SANDBOX },
        ...(times.dueAt === undefined ? { delay } : { send_at: iso(times.dueAt) }),
        ...(times.expiresAt === undefined ? {} : { expires_at: iso(times.expiresAt) }),
        ...(times.ttl === undefined ? {} : { ttl: times.ttl / SECOND }),
      }
      const answer = await app.owner<{ id: string }>('/send', { body })
      expect(answer.status, answer.text).toBe(200)
      told.set(answer.body.data.id, times)
      const other = await app.owner('/send', { body: { phone: '6281234567891', message: 'Hi', sender_code: quick } })
      expect(other.status, other.text).toBe(200)
    }

    /** The program comes to notice what is set. */
    async function settle(): Promise<void> {
      await clock.advance(SECOND + below(50))
      await app.fetch('/health')
      await app.fetch('/health')
    }

    function jump(): number {
      const far = [SECOND * 6, MINUTE, HOUR, 7 * HOUR, DAY, 365 * DAY][below(6)] ?? HOUR
      const by = (random() < 0.5 ? -1 : 1) * (far + below(far))
      if (random() < 0.2) return Date.UTC(2020, 0, 1) + below(DAY) - clock.now()
      return clock.now() + by < Date.UTC(2019, 0, 1) ? Math.abs(by) : by
    }

    async function act(): Promise<string> {
      const kind = ['send', 'send', 'advance', 'jump', 'jump', 'sleep', 'restart'][below(7)] ?? 'send'
      if (kind === 'send') await send()
      if (kind === 'advance') await clock.advance(below(40 * MINUTE))
      if (kind === 'sleep') clock.sleep(below(10 * HOUR))
      if (kind === 'jump') {
        const by = jump()
        clock.jump(by)
        return `jump ${by}`
      }
      if (kind === 'restart') {
        let by = 0
        await app.restart(() => {
          const slept = below(15 * HOUR)
          clock.sleep(slept)
          off += slept
          unknown += MARKED_EVERY
          if (random() < 0.5) by = jump()
          clock.jump(by)
          // Nobody can tell that from a pause.
          off += Math.max(0, by)
          jumped += Math.max(0, by)
        })
        return `restart ${by}`
      }
      return kind
    }

    function check(): void {
      const db = new Database(join(app.home, 'kurir.db'), { readonly: true })
      const rows = db.prepare<[], Row>('SELECT id, status, due_at, expires_at, next_at FROM messages').all()
      const deliveries = db
        .prepare<[], { next_at: number }>(
          "SELECT next_at FROM webhook_deliveries WHERE state = 'pending' AND next_at > 0",
        )
        .all()
      const state = db.prepare<[], { day: string }>("SELECT day FROM sending_state WHERE day <> ''").all()
      db.close()
      const why = `seed ${seed}: ${done.join(', ')}`
      const now = clock.now()
      for (const row of rows) {
        const each = told.get(row.id)
        if (each === undefined || row.next_at === null) continue
        const passed = known() - each.at
        if (each.dueAt !== undefined) expect([row.due_at, row.next_at], why).toEqual([each.dueAt, each.dueAt])
        if (each.expiresAt !== undefined) expect(row.expires_at, why).toBe(each.expiresAt)
        const left = Math.max(0, (each.delay ?? 0) - passed) + unknown + SECOND
        if (each.delay !== undefined) expect(row.next_at - now, why).toBeLessThanOrEqual(left)
        const end = (each.delay ?? 0) + (each.ttl ?? 0) - passed + unknown + SECOND
        if (each.ttl !== undefined) expect(row.expires_at - now, why).toBeLessThanOrEqual(Math.max(end, 0))
        const isOurs = each.ttl === undefined && each.expiresAt === undefined && each.dueAt === undefined
        if (isOurs) expect(row.expires_at - now, why).toBeGreaterThan(DEFAULT_END - passed - off - SECOND)
      }
      for (const each of deliveries) expect(each.next_at - now, why).toBeLessThanOrEqual(LONGEST_RETRY)
      for (const { day } of state) expect(Date.parse(day) - now, why).toBeLessThan(2 * DAY)
    }

    for (let step = 0; step < STEPS; step += 1) {
      done.push(await act())
      await settle()
      check()
    }
  },
  60_000,
)
