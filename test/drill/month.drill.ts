import { expect, onTestFinished, test } from 'vitest'
import { HEAD, judge, rows, table } from './judge.ts'
import { beginningOf, CUSTOMERS, LENGTH, MONTH } from './month.ts'
import { openDrillShop } from './shop.ts'

test('a bad month loses, doubles and delays nothing that known customers wait for', async () => {
  const start = Date.now()
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
