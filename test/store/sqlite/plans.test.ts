import { expect, onTestFinished, test } from 'vitest'
import { type MessageFilter, type MessageStore, openStore } from '../../../server/store/index.ts'
import type { Db } from '../../../server/store/sqlite/database.ts'
import { watchSelects } from '../../../server/store/statements/sql.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** How SQLite would run what is prepared from the opening of the store, or (`ask`) only for a question. */
async function plansOf(ask?: (messages: MessageStore) => Promise<unknown>): Promise<string[]> {
  let db: Db | undefined
  let selects: ReturnType<typeof watchSelects> = []
  const store = await openStore({
    home: temporaryFolder(),
    now: Date.now,
    opened: (opened) => {
      db = opened
      selects = watchSelects(opened)
    },
  })
  onTestFinished(store.close)
  const before = ask === undefined ? 0 : selects.length
  await ask?.(store.messages)
  const sql = selects.slice(before).map((select) => select.sql)
  return sql.map((each) =>
    [
      each,
      ...(db
        ?.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${each.replace(/@\w+/g, '?')}`)
        .all(...Array.from({ length: each.split(/[?@]/).length - 1 }, () => 1))
        .map(({ detail }) => detail) ?? []),
    ].join('\n'),
  )
}

const planOf = (filter: Omit<MessageFilter, 'limit'>) => plansOf((messages) => messages.list({ ...filter, limit: 50 }))

const STATUS = 'messages_status (status=? AND channel=?'
const SENDER = 'messages_sender (sender_id=? AND status=? AND channel=?'

// A device key asks with its sender; it must not make the program look at all of a sender's messages, let alone at all.
test.each<[string, Omit<MessageFilter, 'limit'>, string]>([
  ['nothing more', {}, SENDER],
  ['a reference', { referenceId: 'r' }, 'messages_reference (reference_id=?)'],
  ['a recipient', { recipients: ['62'] }, 'messages_recipient (recipient=?)'],
  ['a status', { statuses: ['failed'] }, SENDER],
  ['failures of late', { failedFrom: 1 }, SENDER],
  ['statuses', { statuses: ['failed', 'cancelled'] }, SENDER],
  ['templates', { channel: 'template' }, SENDER],
  ['a template', { templateName: 't' }, 'messages_sender_template_name (sender_id=? AND template_name=?)'],
])('the list of a sender with %s is read by an index', async (_what, filter, index) => {
  const plan = (await planOf({ senderId: 1, ...filter })).join('\n')
  expect(plan).toContain(index)
  expect(plan).not.toMatch(/SCAN (?!piece\d)/)
})

test.each<[string, Omit<MessageFilter, 'limit'>]>([
  ['a status', { statuses: ['failed'] }],
  ['failures of late', { failedFrom: 1 }],
  ['statuses', { statuses: ['failed', 'cancelled'], before: 9 }],
  ['templates', { channel: 'template' }],
  ['failed templates', { channel: 'template', statuses: ['failed'] }],
])('the list of all senders with %s is read by an index', async (_what, filter) => {
  const plan = (await planOf(filter)).join('\n')
  expect(plan).toContain(STATUS)
  expect(plan).not.toMatch(/SCAN (?!piece\d)/)
})

test('what reached its status long after it came is found by an index of its own', async () => {
  const late = (await plansOf()).filter((each) => each.includes('occurred_at - created_at'))
  expect(late).toHaveLength(2)
  for (const plan of late) expect(plan).toContain('messages_late (occurred_at>?)')
})

test('which lanes have something due is asked for once, and found by an index', async () => {
  const plan = (await plansOf()).find((each) => each.includes('FROM senders s'))
  expect(plan).toContain('messages_priority (lane_id=? AND priority=? AND next_at<?)')
})

test('the first and the last message are at the ends of an index', async () => {
  const plan = (await plansOf()).find((each) => each.includes('min(created_at) FROM messages)'))
  expect(plan?.match(/SEARCH messages USING COVERING INDEX messages_created/g)).toHaveLength(2)
})

test('a month is found in the counts of its days', async () => {
  const plan = (await plansOf()).find((each) => each.includes('LEFT JOIN message_tallies'))
  expect(plan).toContain('SEARCH d USING PRIMARY KEY (since>? AND since<?)')
  expect(plan?.match(/SEARCH t USING PRIMARY KEY \(since=\? AND until=\?\) LEFT-JOIN/g)).toHaveLength(2)
  expect(plan).not.toMatch(/SCAN [td]\b/)
})

test('people that were written to in a day are counted in the messages of that day', async () => {
  const plan = (await plansOf()).find((each) => each.includes('count(DISTINCT recipient)'))
  expect(plan).toContain('messages_created (created_at>?)')
})
