import { expect, onTestFinished, test } from 'vitest'
import { HEAD, judge, rows, table } from './judge.ts'
import { beginningOf, CUSTOMERS, LENGTH, MONTH } from './month.ts'
import { openDrillShop } from './shop.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

test('a bad month loses, doubles and delays nothing that known customers wait for', async () => {
  // Nine in the morning, not before now: the library takes the time from the system.
  const start = Math.ceil(Date.now() / DAY) * DAY + 9 * HOUR
  const shop = await openDrillShop(start)
  onTestFinished(shop.close)
  await shop.link()
  for (const number of CUSTOMERS) await shop.customer(number)
  await shop.quiet()

  for (const chapter of MONTH) {
    await shop.passTo(beginningOf(chapter, start))
    console.log(`day ${chapter.day}: ${chapter.title}`)
    await chapter.play(shop)
  }
  await shop.passTo(start + LENGTH)

  const observed = await shop.observed()
  const faults = judge(observed, shop.clock.now())
  console.log(`\n${table([HEAD, ...rows(observed)])}\n`)
  expect(faults).toEqual([])
})
