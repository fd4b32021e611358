import { expect, test } from 'vitest'
import { createRefusedCallStore } from '../../../server/slices/refused-calls/store.ts'
import { openOwnStore } from '../../support/own-store.ts'

test('refused calls do on both engines what they promise', async () => {
  const { store } = await openOwnStore()
  const { statements } = store
  const refusedCalls = createRefusedCallStore(statements)
  const call = {
    address: '::1',
    method: 'POST',
    path: '/send',
    status: 400,
    code: 'invalid',
    field: null,
    problem: null,
  }
  const caller = { hint: null, program: null, looksLike: null, told: true, count: 1 }
  const calls = [1, 2, 3, 4].map((at) => ({
    ...{ ...call, ...caller, at, keyNumber: at === 4 ? 1 : null, recipient: null, groupId: at === 4 ? 'b' : 'a' },
  }))
  await refusedCalls.add(calls, 3, 1)
  expect((await refusedCalls.list({ before: undefined, limit: 9 })).map(({ at }) => at)).toEqual([4, 3])
  expect((await refusedCalls.list({ before: undefined, limit: 9, groupId: 'b' })).map(({ at }) => at)).toEqual([4])
  await refusedCalls.add(
    [{ ...call, ...caller, at: 5, keyNumber: null, recipient: null, groupId: 'a', count: 3 }],
    3,
    1,
  )
  expect(await refusedCalls.groups(3)).toMatchObject([
    { groupId: 'a', at: 5, times: 6, since: 1, often: false, told: true, seen: false },
    { groupId: 'b', at: 4, times: 1, since: 4, often: false },
  ])
  await refusedCalls.markSeen('a')
  await refusedCalls.markSeen(undefined)
  expect((await refusedCalls.groups(0)).map(({ seen }) => seen)).toEqual([true, true])
  expect([await refusedCalls.forget(5), await refusedCalls.forget(6)]).toEqual([1, 1])
})
