import { expect, it } from 'vitest'
import { describeLimit, readMessagingLimit } from '../../../server/connections/official/messaging-limit.ts'

it.each<[unknown, ReturnType<typeof readMessagingLimit>]>([
  ['TIER_50', 50],
  ['TIER_250', 250],
  ['TIER_1K', 1000],
  ['TIER_2K', 2000],
  ['TIER_100K', 100_000],
  ['TIER_UNLIMITED', 'unlimited'],
  [-1, 'unlimited'],
  ['-1', 'unlimited'],
  [2000, 2000],
  ['2000', 2000],
  ['TIER_NOT_SET', null],
  ['TIER_', null],
  [0, null],
  [-2, null],
  [null, null],
  [undefined, null],
  [{}, null],
  ['9'.repeat(40), null],
])('%j is %j', (value, limit) => {
  expect(readMessagingLimit(value)).toBe(limit)
})

it('is described for an owner', () => {
  expect(describeLimit(2000)).toBe('2,000 people in 24 hours, shared by all numbers of your business')
  expect(describeLimit('unlimited')).toBe('no limit on how many people you write to first')
})
