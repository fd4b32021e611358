import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import {
  createNetworkWatch,
  hasGained,
  LOOK_EVERY,
  systemAddresses,
  usableAddresses,
} from '../../server/connections/index.ts'
import { openDrillShop } from '../drill/shop.ts'
import { createTestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const WIFI = '192.168.1.20'

test.each<[string, string[], string[], boolean]>([
  ['a network is there again', [], [WIFI], true],
  ['it is another network', [WIFI], ['10.0.0.7'], true],
  ['one came beside it', [WIFI], [WIFI, '10.0.0.7'], true],
  ['it is gone', [WIFI], [], false],
  ['one of two is gone', [WIFI, '10.0.0.7'], ['10.0.0.7'], false],
  ['nothing changed', [WIFI], [WIFI], false],
])('%s: %j, then %j: %s', (_what, before, now, gained) => {
  expect(hasGained(new Set(before), new Set(now))).toBe(gained)
})

test('addresses that a PC gives itself are no network', () => {
  const own = (address: string, internal = false) => ({ address, internal })
  const all = [
    own('127.0.0.1', true),
    own('169.254.3.4'),
    own('fe80::1'),
    own('FEB0::1'),
    own(WIFI),
    own('2001:db8::5'),
  ]
  expect([...usableAddresses([...all, undefined])]).toEqual([WIFI, '2001:db8::5'])
  expect([...systemAddresses()]).toEqual([...usableAddresses(Object.values(networkInterfaces()).flat())])
})

test('it looks only while somebody waits, and wakes all of them', async () => {
  const clock = createTestClock()
  let addresses: string[] = []
  let looks = 0
  const tried: number[] = []
  const watch = createNetworkWatch(
    () => {
      looks += 1
      return new Set(addresses)
    },
    clock,
    (senderId) => tried.push(senderId),
  )
  await clock.advance(DAY)
  expect(looks).toBe(0)
  watch.set(1, true)
  watch.set(2, true)
  await clock.advance(MINUTE)
  expect(tried).toEqual([])
  addresses = [WIFI]
  await clock.advance(LOOK_EVERY)
  expect(tried).toEqual([1, 2])
  watch.set(1, false)
  addresses = []
  await clock.advance(LOOK_EVERY)
  addresses = [WIFI]
  await clock.advance(LOOK_EVERY)
  expect(tried).toEqual([1, 2, 2])
  watch.set(2, false)
  const before = looks
  await clock.advance(DAY)
  expect(looks).toBe(before)
  watch.set(1, true)
  watch.stop()
  await clock.advance(DAY)
  expect(looks).toBe(before + 1)
})

test('a number is back within seconds of the network, not after its back-off', async () => {
  let addresses = [WIFI]
  const shop = await openDrillShop(
    Math.ceil(Date.now() / DAY) * DAY,
    {},
    { networkAddresses: () => new Set(addresses) },
  )
  onTestFinished(shop.close)
  await shop.link()
  await shop.quiet()
  await shop.peer.stop()
  addresses = []
  const becomes = (state: string) => eventually(async () => (await shop.view()).state === state)
  await becomes('offline')
  // Two minutes lie between attempts by now: there was one 23 s ago.
  await shop.pass(18.5 * MINUTE)
  await shop.peer.start()
  const { length } = shop.peer.journal.logins
  await shop.pass(LOOK_EVERY)
  expect(shop.peer.journal.logins.length, 'the next attempt is not due yet').toBe(length)
  addresses = [WIFI]
  await shop.pass(LOOK_EVERY)
  await becomes('connected')
  expect(shop.peer.journal.logins.length).toBe(length + 1)
})
