import { expect, it } from 'vitest'
import { readMessagingLimit } from '../../../server/connections/official/graph/members.ts'
import { en } from '../../../server/words/en/index.ts'
import { id } from '../../../server/words/id/index.ts'
import { say } from '../../../server/words/say.ts'

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
  [{ toString: 1 }, null],
  ['9'.repeat(40), null],
])('%j is %j', (value, limit) => {
  expect(readMessagingLimit(value)).toBe(limit)
})

it('is described for an owner', () => {
  const number = { number: '+62 21 5550 1234', name: 'Toko Maju', status: 'CONNECTED', quality: 'GREEN' }
  expect(say(en, 'findings.number', { ...number, limit: 2000 })).toContain(
    ', limit 2,000 people in 24 hours, shared by all numbers of your business.',
  )
  expect(say(id, 'findings.number', { ...number, limit: 2000 })).toContain(', batas 2.000 orang dalam 24 jam')
  expect(say(en, 'findings.number', number)).not.toContain('limit')
  expect(say(en, 'findings.number_unlimited', number)).toContain('no limit on how many people you write to first')
})
