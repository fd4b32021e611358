import { expect, test } from 'vitest'
import { createTableStore } from '../../../server/slices/tables/store.ts'
import { newRow } from '../../support/new-message.ts'
import { NOW, openOwnStore } from '../../support/own-store.ts'

test('tables do on both engines what they promise', async () => {
  const { store, senderId } = await openOwnStore()
  const { messages, statements } = store
  const tables = createTableStore(statements)
  await messages.accept(newRow({ id: 't1', senderId, createdAt: NOW }), { unique: false })
  const table = { id: 'one', name: 'A', columns: ['nomor'], state: 'reading' as const, rows: 3, createdAt: NOW }
  expect([await tables.add(table, 1), await tables.add({ ...table, id: 'two' }, 1)]).toEqual(['added', 'full'])
  await tables.addLines(
    'one',
    [1, 2, 3].map((row) => ({ row, line: row + 1, cells: [`0812 "${row}"`] })),
  )
  const change = { state: 'draft', busy: true, at: NOW + 1, plan: '{"a":1}', plannedAt: NOW } as const
  expect([await tables.move('one', 'draft', change), await tables.move('one', 'reading', change)]).toEqual([
    false,
    true,
  ])
  const draft = { ...table, state: 'draft', busy: true, changedAt: NOW + 1, plannedAt: NOW }
  expect([await tables.find('one'), await tables.list()]).toEqual([draft, [draft]])
  expect([await tables.planOf('one'), await tables.planOf('two')]).toEqual(['{"a":1}', null])
  await tables.mark('one', [
    { row: 1, tries: 0, messageId: 't1', refusal: null, taken: false },
    { row: 2, tries: 1, messageId: null, refusal: '{}', taken: true },
  ])
  const lines = await tables.lines('one', 0, 2)
  expect(lines.map(({ row, cells, tries, taken }) => [row, cells, tries, taken])).toEqual([
    [1, ['0812 "1"'], 0, false],
    [2, ['0812 "2"'], 1, true],
  ])
  expect(lines[0]).toMatchObject({ status: 'queued', attempts: 0, error: null })
  expect((await tables.waiting('one', 0, 5)).map(({ row }) => row)).toEqual([3])
  const tally = await tables.tally('one', 0, 3)
  expect(tally.map(({ kind, count }) => [kind, Number(count)]).toSorted()).toEqual(
    [
      [lines[0]?.status, 1],
      ['refused', 1],
      ['waiting', 1],
    ].toSorted(),
  )
  // Kept while it is busy, or one of its messages waits; then in steps.
  await tables.mark('one', [{ row: 1, tries: 0, messageId: 'gone', refusal: null, taken: false }])
  await tables.forget(NOW + 2, 2)
  expect(await tables.lines('one', 0, 5)).toHaveLength(3)
  await tables.mark('one', [{ row: 1, tries: 0, messageId: 't1', refusal: null, taken: false }])
  await tables.move('one', 'draft', { state: 'draft', busy: false, at: NOW + 1 })
  await tables.forget(NOW + 2, 2)
  expect(await tables.lines('one', 0, 5)).toHaveLength(3)
  await tables.mark('one', [{ row: 1, tries: 0, messageId: 'gone', refusal: null, taken: false }])
  await tables.forget(NOW + 1, 2)
  expect(await tables.lines('one', 0, 5)).toHaveLength(3)
  await tables.forget(NOW + 2, 2)
  expect(await tables.lines('one', 0, 5)).toHaveLength(1)
  await tables.forget(NOW + 2, 2)
  expect([await tables.find('one'), await tables.lines('one', 0, 5)]).toEqual([undefined, []])
  // Rows that the owner may still send stay, until the table is cancelled.
  await tables.add({ ...table, state: 'paused' }, 1)
  await tables.addLines('one', [{ row: 1, line: 2, cells: ['0812'] }])
  expect([await tables.forget(NOW + 2, 2), (await tables.find('one'))?.state]).toEqual([0, 'paused'])
  await tables.move('one', 'paused', { state: 'cancelled', busy: false, at: NOW + 1 })
  expect([await tables.forget(NOW + 2, 2), await tables.find('one')]).toEqual([2, undefined])
  await tables.add(table, 1)
  expect([await tables.remove('one'), await tables.remove('one')]).toEqual([true, false])
})
