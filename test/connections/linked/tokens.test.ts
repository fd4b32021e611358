import { describe, expect, test } from 'vitest'
import {
  csToken,
  isExpired,
  merged,
  pruned,
  substituteFor,
  timingFrom,
  validToken,
} from '../../../server/connections/linked/account/trust.ts'
import { createWorld } from './world.ts'

const WEEK = 7 * 24 * 3600
/** The beginning of a bucket. */
const NOW = 2_951 * WEEK
const timing = timingFrom(new Map())
const token = Buffer.from('token')

test('a contact gets the account’s token once in a week, also after a start', async () => {
  const world = await createWorld()
  let run = world.open()
  const phone = await run.link()
  const issued = () => world.store.sessions.keysOf(world.senderId, 'tctoken')
  await run.send(await world.message('Ada'))
  await expect.poll(async () => (await issued()).length).toBeGreaterThan(0)
  await run.send(await world.message('Ada lagi'))
  await run.linked.stop()
  run = world.open()
  run.linked.start()
  await run.state('connected')
  await run.send(await world.message('Masih ada'))
  // One that were issued with the last message would have come before this.
  await run.send(await world.message('Ya'))
  expect(phone.issuedTokens).toHaveLength(1)
})

describe('the life of a token', () => {
  test.each([
    ['issued now', 0, false],
    ['three buckets ago', 3 * WEEK, false],
    ['a second before that bucket', 3 * WEEK + 1, true],
  ])('%s', (_, ago, expired) => {
    expect(isExpired(NOW - ago, NOW, timing)).toBe(expired)
  })
  test('lasts to the end of its fourth bucket', () => {
    expect(isExpired(NOW, NOW + 4 * WEEK - 1, timing)).toBe(false)
    expect(isExpired(NOW, NOW + 4 * WEEK, timing)).toBe(true)
  })
  test('follows the props', () => {
    const props = new Map([
      [865, '3600'],
      [909, '2'],
      [996, '60'],
      [997, '3'],
    ])
    expect(timingFrom(props)).toEqual({ bucket: 3600, buckets: 2, senderBucket: 60, senderBuckets: 3 })
  })
  test.each(['0', '-1', '', 'x', '99999999999'])('but not those that make no sense: %s', (value) => {
    const { bucket } = timingFrom(new Map([[865, value]]))
    expect(bucket).toBe(value === '0' ? 1 : WEEK)
  })
})

describe('an entry', () => {
  test('has a valid token or none', () => {
    expect(validToken({ token, timestamp: String(NOW) }, NOW, timing)).toBe(token)
    expect(validToken({ token, timestamp: String(NOW - 4 * WEEK) }, NOW, timing)).toBeUndefined()
    expect(validToken({ token: Buffer.alloc(0), timestamp: String(NOW) }, NOW, timing)).toBeUndefined()
    expect(validToken({ token }, NOW, timing)).toBeUndefined()
    expect(validToken(undefined, NOW, timing)).toBeUndefined()
  })
  test('loses what has expired, and only that', () => {
    const [fresh, old] = [NOW, NOW - 10 * WEEK]
    const whole = { token, timestamp: String(fresh), senderTimestamp: fresh }
    expect(pruned(whole, NOW, timing)).toBe(whole)
    expect(pruned({ token, timestamp: String(old), senderTimestamp: fresh }, NOW, timing)).toEqual({
      token: Buffer.alloc(0),
      senderTimestamp: fresh,
    })
    expect(pruned({ token, timestamp: String(fresh), senderTimestamp: old }, NOW, timing)).toEqual({
      token,
      timestamp: String(fresh),
    })
    expect(pruned({ token, timestamp: String(old), senderTimestamp: old }, NOW, timing)).toBeNull()
    expect(pruned({ token: Buffer.alloc(0), senderTimestamp: old }, NOW, timing)).toBeNull()
  })
  test('takes the newer of two tokens, and the later of two issues', () => {
    const known = { token: Buffer.from('known'), timestamp: '200', senderTimestamp: 5 }
    const found = { token: Buffer.from('found'), timestamp: '100', senderTimestamp: 9 }
    expect(merged(known, found)).toEqual({ ...known, senderTimestamp: 9 })
    expect(merged(found, known)).toEqual({ ...known, senderTimestamp: 9 })
    expect(merged(undefined, found)).toBe(found)
    expect(merged({ senderTimestamp: 5 }, { token, timestamp: '1' })).toEqual({
      token,
      timestamp: '1',
      senderTimestamp: 5,
    })
  })
})

describe('a cstoken', () => {
  const salt = Buffer.alloc(32, 7)
  const on = new Map([[24941, '1']])
  const valid = { token, timestamp: String(NOW) }
  const given = { salt, lidUser: '123456789', props: on, now: NOW }

  test('is an HMAC of the LID with the salt', () => {
    // printf '123456789@lid' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…07
    expect(csToken(salt, '123456789').toString('hex')).toBe(
      '9fe8b32dc9668b166406fe7e785663de7d7fae7c32381a64658d559d38da4762',
    )
  })
  test('goes where no valid tctoken does', () => {
    expect(substituteFor(undefined, given)).toEqual({ tag: 'cstoken', attrs: {}, content: csToken(salt, '123456789') })
    expect(substituteFor({ token, timestamp: String(NOW - 9 * WEEK) }, given)?.tag).toBe('cstoken')
    expect(substituteFor(valid, given)).toBeUndefined()
  })
  test('goes beside a valid tctoken that the props keep back', () => {
    expect(substituteFor(valid, { ...given, props: new Map([...on, [10518, '0']]) })?.tag).toBe('cstoken')
  })
  test.each([
    ['without a salt', { salt: null }],
    ['without a LID', { lidUser: null }],
    ['where the props do not ask for it', { props: new Map() }],
    ['where the props forbid it', { props: new Map([[24941, '0']]) }],
  ])('does not go %s', (_, less) => {
    expect(substituteFor(undefined, { ...given, ...less })).toBeUndefined()
  })
})
