import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { printFigures } from './figures.ts'
import {
  judgeAccepted,
  judgeArrivals,
  judgeCallbacks,
  judgeFigures,
  judgeFinished,
  judgeOrder,
  judgeSteps,
} from './judge.ts'
import { type LinkedShop, startLinkedShop } from './linked.ts'
import { createRandom } from './random.ts'
import { type Evidence, survive } from './rounds.ts'
import { sandbox } from './sandbox.ts'

// Milliseconds, on a PC that is busy with other things as well; in the end everything that waits is sent.
const SLOWEST_ROUND = 8_000
const SLOWEST_END = 300_000

const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31))
const title = (what: string, rounds: number) => `${what}, killed ${rounds} times while it works (CRASH_SEED=${seed})`

function commonTests(evidence: () => Evidence): void {
  test('every message that was answered with 200 is there exactly once', () => judgeAccepted(evidence()))
  test('every message comes to its end', () => judgeFinished(evidence()))
  test('every status is reported, in order, each event under one id', () => judgeCallbacks(evidence()))
  test('the power went in the middle of work', () => {
    expect(evidence().messages.length).toBeGreaterThan(evidence().rounds * 3)
  })
}

/** Through the sandbox, where starts are quick. */
export function sandboxSuite(rounds: number): void {
  describe(title('the sandbox', rounds), () => {
    let evidence: Evidence
    beforeAll(
      async () => {
        evidence = await survive(rounds, sandbox, createRandom(seed))
      },
      rounds * SLOWEST_ROUND + SLOWEST_END,
    )
    afterAll(() => {
      printFigures('The sandbox', evidence)
      rmSync(evidence.home, { recursive: true, force: true })
    })

    commonTests(() => evidence)
    test('no step of a message is skipped', () => judgeSteps(evidence))
  })
}

/** Through a linked number, with WhatsApp's server in a process of its own keeping a journal. */
export function linkedSuite(rounds: number): void {
  describe(title('a linked number', rounds), () => {
    let shop: LinkedShop
    let evidence: Awaited<ReturnType<typeof survive>>
    beforeAll(
      async () => {
        shop = await startLinkedShop()
        evidence = await survive(rounds, shop.variant, createRandom(seed))
      },
      rounds * SLOWEST_ROUND + SLOWEST_END,
    )
    afterAll(async () => {
      printFigures('A linked number', evidence, await shop.arrivals())
      await shop.close()
      rmSync(evidence.home, { recursive: true, force: true })
    })

    commonTests(() => evidence)
    test('every message that was answered with 200 arrives, and has one id however often', async () => {
      judgeArrivals(evidence, await shop.arrivals())
    })
    test('the book of figures says what the messages say', () => judgeFigures(evidence))
    test('no message key is used twice', async () => {
      const { used, usedTwice } = await shop.messageKeys()
      expect(used.length).toBeGreaterThan(0)
      expect(usedTwice).toEqual([])
    })
    test('messages leave in the order in which they were accepted', async () => {
      judgeOrder(evidence, await shop.journal())
    })
  })
}
