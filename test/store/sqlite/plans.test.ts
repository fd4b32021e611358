import { expect, onTestFinished, test } from 'vitest'
import { type MessageFilter, openStore } from '../../../server/store/index.ts'
import type { Db } from '../../../server/store/sqlite/database.ts'
import { createLargeReads, type LargeReads } from '../../../server/store/sqlite/large-reads.ts'
import { watchSelects } from '../../../server/store/sqlite/sql.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** How SQLite would run what is prepared from the opening of the store, or (`ask`) only for a question. */
async function plansOf(ask?: (reads: LargeReads) => Promise<unknown>): Promise<string[]> {
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
  if (db === undefined) throw new Error('the store has opened no database')
  // On a connection of their own otherwise.
  const reads = createLargeReads(db, () => 0)
  const before = ask === undefined ? 0 : selects.length
  await ask?.(reads)
  const sql = selects.slice(before).map((select) => select.sql)
  return sql.map((each) =>
    [
      each,
      ...(db
        ?.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${each.replace(/@\w+|\$\d+/g, '?')}`)
        .all(...Array.from({ length: each.split(/[?@]|\$\d/).length - 1 }, () => 1))
        .map(({ detail }) => detail) ?? []),
    ].join('\n'),
  )
}

const planOf = (filter: Omit<MessageFilter, 'limit'>) =>
  plansOf(({ messages }) => messages.list({ ...filter, limit: 50 }))

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

test('which lanes have something due is asked for once, and found by an index', async () => {
  const plan = (await plansOf()).find((each) => each.includes('FROM senders s'))
  expect(plan).toContain('messages_priority (lane_id=? AND priority=? AND next_at<?)')
})

test('figures of a span are found by its quarters of an hour, those with a price by an index of their own', async () => {
  const plans = (await plansOf()).filter((each) => each.includes('FROM figures'))
  expect(plans).toHaveLength(3)
  const [billed, nextBilled, sums] = plans
  expect(sums).toContain('SEARCH figures USING PRIMARY KEY (pricing=? AND quarter>? AND quarter<?)')
  expect(billed).toContain('SEARCH figures USING INDEX figures_billed (quarter>? AND quarter<?)')
  expect(nextBilled).toContain('figures_billed (quarter>?)')
})

test('people that were written to in a day are counted in the messages of that day', async () => {
  const plan = (await plansOf()).find((each) => each.includes('count(DISTINCT recipient)'))
  expect(plan).toContain('messages_created (created_at>?)')
})

test('the number of a person whom Meta names by an ID is found by an index', async () => {
  const plan = (await plansOf()).find((each) => each.includes('recipient_user_id = '))
  expect(plan).toContain('messages_recipient_user (recipient_user_id=?)')
  expect(plan).not.toContain('TEMP B-TREE')
})
