import { expect, test } from 'vitest'
import { createDropStore } from '../../../server/slices/drop-folder/store.ts'
import { newRow } from '../../support/new-message.ts'
import { NOW, openOwnStore } from '../../support/own-store.ts'

const PHONE = '6281234567890'

test('drops do on both engines what they promise', async () => {
  const { store, senderId } = await openOwnStore()
  const { messages, statements } = store
  const drops = createDropStore(statements)
  const drop = (id: string, at: number) => ({
    ...{ id, at, digest: id, name: `0812 ${id}.pdf`, movedAs: null, status: 'new' as const, reason: null },
    ...{ phone: PHONE, reference: id, rows: null },
  })
  for (const [n, id] of ['d1', 'd2', 'd3'].entries()) await drops.add(drop(id, NOW + n))
  await expect(drops.add({ ...drop('d4', NOW), digest: 'd1' })).rejects.toThrow()
  expect(await drops.byDigest('d2')).toMatchObject(drop('d2', NOW + 1))
  expect(await drops.byDigest('none')).toBeUndefined()
  await drops.change('d1', { status: 'accepted' })
  expect((await drops.list(2, 'unfinished')).map(({ id, status }) => [id, status])).toEqual([
    ['d1', 'accepted'],
    ['d2', 'new'],
  ])
  await drops.change('d1', { status: 'moved', movedAs: 'd1 (2).pdf' })
  await drops.change('d3', { status: 'moved', reason: 'some_rows', rows: 7 })
  expect((await drops.list(2, 'partly')).map(({ id }) => id)).toEqual(['d3'])
  expect([await drops.takenSince(NOW), await drops.takenSince(NOW + 3)]).toEqual([9, 0])
  await drops.change('d3', { status: 'new', reason: null, rows: null })
  await drops.change('d2', { status: 'refused', reason: 'refused', digest: null })
  await drops.change('none', { status: 'refused' })
  // Without a digest any number of files may be refused.
  await drops.add({ ...drop('d4', NOW + 3), digest: null, status: 'refused', reason: 'no_number' })
  expect((await drops.list(3)).map(({ id, reason }) => [id, reason])).toEqual([
    ['d4', 'no_number'],
    ['d3', null],
    ['d2', 'refused'],
  ])
  expect(await drops.byDigest('d2')).toBeUndefined()
  expect([await drops.takenSince(NOW), await drops.takenSince(NOW + 1)]).toEqual([2, 1])

  await messages.accept(newRow({ id: 'd1', senderId, createdAt: NOW }), { unique: false })
  expect(await drops.list(5, 'failed')).toEqual([])
  await messages.change({ id: 'd1' }, () => ({ status: 'failed', at: NOW, nextAt: null }))
  expect((await drops.list(5, 'failed')).map(({ id, movedAs }) => [id, movedAs])).toEqual([['d1', 'd1 (2).pdf']])
  await drops.change('d1', { movedAs: null })
  expect(await drops.list(5, 'failed')).toEqual([])

  await drops.remove('d4')
  // Unfinished rows stay, however old they are.
  expect([await drops.expire(NOW + 1), await drops.expire(NOW + 9)]).toEqual([1, 1])
  expect((await drops.list(9)).map(({ id }) => id)).toEqual(['d3'])
})
