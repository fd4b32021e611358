import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judgeAccepted, judgeCallbacks, judgeFinished } from './judge.ts'
import { createRandom } from './random.ts'
import { type Evidence, survive } from './rounds.ts'
import { sandbox } from './sandbox.ts'

const SLOWEST_ROUND = 6_000

/** Kills the program `rounds` times and judges what is left. The seed in its name makes the same moments again. */
export function sandboxSuite(rounds: number): void {
  const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31))

  describe(`the sandbox, killed ${rounds} times while it works (CRASH_SEED=${seed})`, () => {
    let evidence: Evidence
    beforeAll(async () => {
      evidence = await survive(rounds, sandbox, createRandom(seed))
    }, rounds * SLOWEST_ROUND)
    afterAll(() => rmSync(evidence.home, { recursive: true, force: true }))

    test('every message that was answered with 200 is there exactly once', () => judgeAccepted(evidence))
    test('every message comes to its end', () => judgeFinished(evidence))
    test('every status is told, in order, each event under one id', () => judgeCallbacks(evidence))
    test('the power went in the middle of work', () => {
      expect(evidence.messages.length).toBeGreaterThan(rounds * 3)
    })
  })
}
