import { expect, onTestFinished } from 'vitest'
import { HEAD, judge, rows, table } from './judge.ts'
import { type DrillShop, openDrillShop } from './shop.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

export interface Chapter {
  /** Milliseconds after the beginning, which is at nine in the morning. */
  at: number
  title: string
  play(shop: DrillShop): Promise<void>
}

/** Plays a time in which much happens to a shop, prints what its messages experienced, and finds no fault. */
export async function play(chapters: Chapter[], length: number): Promise<void> {
  // Nine in the morning, not before now: the library takes the time from the system.
  const start = Math.ceil(Date.now() / DAY) * DAY + 9 * HOUR
  const shop = await openDrillShop(start)
  onTestFinished(shop.close)
  for (const chapter of chapters) {
    await shop.passTo(start + chapter.at)
    console.log(`${new Date(shop.clock.now()).toISOString().slice(5, 16)} ${chapter.title}`)
    await chapter.play(shop)
  }
  await shop.passTo(start + length)

  const observed = await shop.observed()
  const faults = judge(observed, shop.clock.now())
  console.log(`\n${table([HEAD, ...rows(observed)])}\n`)
  expect(faults).toEqual([])
}
