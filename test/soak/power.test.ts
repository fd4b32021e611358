import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../crash/random.ts'
import { judge, type Recorded, record } from './power.ts'
import { type Cut, canRecord, createDisk } from './recorded-disk.ts'

const IMAGES = Number(process.env.POWER_IMAGES ?? 300)
const CONTROLS = 12
const TEXTS = Number(process.env.POWER_TEXTS ?? 40)
const seed = Number(process.env.POWER_SEED ?? Math.floor(Math.random() * 2 ** 31))

if (!canRecord) console.log('Skipped: power cuts are recorded with strace, on Linux. On Debian: apt-get install strace')

describe.skipIf(!canRecord)(`the power is cut (POWER_SEED=${seed})`, () => {
  let run: Recorded
  beforeAll(async () => {
    run = await record(TEXTS)
    const ofKind = (kind: string) => run.steps.filter((step) => step.kind === kind).length
    console.log(
      `${run.steps.length} steps of the disk, ${ofKind('sync')} of them syncs and ${ofKind('rename')} renames; ${run.claims.length} answers`,
    )
  }, 1_200_000)
  afterAll(() => run.close())

  /** At any step, at a sync, or where names change: most mistakes are there. */
  function cuts(count: number, random: () => number): Cut[] {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
    const all = run.steps.map((_step, n) => n)
    const syncs = all.filter((n) => run.steps[n]?.kind === 'sync')
    const names = all.filter((n) => !['sync', 'write', 'truncate'].includes(run.steps[n]?.kind ?? ''))
    return Array.from({ length: count }, () => ({
      steps: pick([all, syncs, names].at(Math.floor(random() * 3)) ?? all) + Math.floor(random() * 4),
      names: pick(['in order', 'promised'] as const),
      unsynced: pick(['none', 'torn', 'all'] as const),
    })).toSorted((a, b) => a.steps - b.steps)
  }

  async function problemsOf(
    count: number,
    random: () => number,
    forgets?: (path: string, isFolder: boolean) => boolean,
  ) {
    const disk = createDisk(run.steps, run.root, forgets)
    const problems: string[] = []
    let bad = 0
    for (const [n, cut] of cuts(count, random).entries()) {
      const left = mkdtempSync(join(tmpdir(), 'kurir-power-image-'))
      disk.leave(cut, random, left)
      const cutAt = (run.steps[cut.steps] ?? run.steps.at(-1))?.at ?? 0
      const wrong = await judge(run, join(left, 'kurir'), cutAt)
      if (wrong.length > 0) bad += 1
      problems.push(...wrong.slice(0, 5).map((what) => `image ${n}, ${JSON.stringify(cut)}: ${what}`))
      rmSync(left, { recursive: true, force: true })
      if (n % 50 === 49) console.log(`${n + 1} images, ${bad} with problems`)
    }
    console.log(`${count} images, ${bad} with problems`)
    return problems
  }

  test(`and nothing that was answered is lost, and no message key is used twice, in ${IMAGES} images`, async () => {
    expect(await problemsOf(IMAGES, createRandom(seed))).toEqual([])
  })

  test.each([
    ['kurir.db', (path: string) => path.endsWith('/kurir.db-wal'), /^.*: lost:/],
    ['sessions.db', (path: string) => path.endsWith('/sessions.db-wal'), /left before their step/],
    ['folders', (_path: string, isFolder: boolean) => isFolder, /./],
  ])('which would show if the syncs of %s were left out', async (_what, forgets, problem) => {
    const problems = await problemsOf(CONTROLS, createRandom(seed), forgets)
    expect(problems.filter((one) => problem.test(one)).length, problems.join('\n')).toBeGreaterThan(0)
  })
})
