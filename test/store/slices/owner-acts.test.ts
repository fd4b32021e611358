import { expect, test } from 'vitest'
import { createOwnerActStore } from '../../../server/slices/owner-acts/store.ts'
import { NOW, openOwnStore } from '../../support/own-store.ts'

const DAY = 24 * 3_600_000

test('acts of owners do on both engines what they promise', async () => {
  const { store } = await openOwnStore()
  const { statements } = store
  const acts = createOwnerActStore(statements)
  const act = (id: string, at = NOW) => ({
    ...{ id, at, actedBy: 'window' as const, browser: 'Firefox', address: '127.0.0.1', act: 'POST /api/keys' },
    ...{ thing: 'Kasir', details: ['kind=device'], done: false },
  })
  const all = { since: 0, most: 10 }
  await acts.add([act('a1', NOW - 2 * DAY), act('a2'), act('a3'), act('a4')], all)
  await acts.add([{ ...act('a2'), thing: 'another' }], all)
  await acts.add([{ ...act('a4'), thing: 'another', done: true }], all)
  await acts.end('a2', true)
  await acts.end('a3', false)
  // An act that was done stays.
  await acts.end('a2', false)
  const rows = await acts.list({ since: 0, limit: 10 })
  expect(rows).toMatchObject([{ ...act('a4'), done: true }, { ...act('a2'), done: true }, act('a1', NOW - 2 * DAY)])
  expect(await acts.list({ since: 0, before: rows[0]?.seq, limit: 1 })).toMatchObject([{ id: 'a2' }])
  expect(await acts.list({ since: NOW, limit: 10 })).toHaveLength(2)
  await acts.add([act('a5')], { since: NOW - DAY, most: 10 })
  expect((await acts.list({ since: 0, limit: 10 })).map(({ id }) => id)).toEqual(['a5', 'a4', 'a2'])
  await acts.add([act('a6')], { since: 0, most: 1 })
  expect((await acts.list({ since: 0, limit: 10 })).map(({ id }) => id)).toEqual(['a6'])
  // One that is done takes the place of one, not of two.
  await acts.end('a6', true)
  await acts.add([act('a7')], { since: 0, most: 2 })
  expect((await acts.list({ since: 0, limit: 10 })).map(({ id }) => id)).toEqual(['a7', 'a6'])
})
