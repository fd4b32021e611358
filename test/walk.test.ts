import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { measureWalk } from '../scripts/lib/measured-walk.ts'
import { readSources } from './support/sources.ts'

/** A line of the reader's walk in docs/architecture.md. */
interface Step {
  number: number
  path: string
  /** An earlier step that calls it; otherwise the one before. */
  from: string | undefined
  /** The file that puts the two together. */
  composer: string | undefined
  implements: boolean
}

const STEP = /^(?<number>\d+)\. `(?<path>[^`]+)`(?: \((?<notes>[^)]*)\))?: .+$/
const noted = (notes: string, word: string) => new RegExp(`\\b${word} \`([^\`]+)\``).exec(notes)?.[1]

function readWalks(): Map<string, Step[]> {
  const text = readFileSync(join(import.meta.dirname, '../docs/architecture.md'), 'utf8')
  const section = /## A reader's walk\n([\s\S]*?)\n## /.exec(text)?.[1] ?? ''
  const walks = section.split(/^### /m).slice(1)
  return new Map(
    walks.map((walk) => {
      const [title = '', ...lines] = walk.split('\n')
      const steps = lines.flatMap((line) => {
        const { number, path = '', notes = '' } = STEP.exec(line)?.groups ?? {}
        const step = { number: Number(number), path, from: noted(notes, 'from'), composer: noted(notes, 'in') }
        return path === '' ? [] : [{ ...step, implements: notes.includes('implements') }]
      })
      return [title, steps]
    }),
  )
}

const imports = new Map(
  readSources('server').map(({ path, imports }) => [
    path.replace('server/', ''),
    imports.map(({ target }) => target.replace('server/', '')),
  ]),
)
const uses = (path: string, other: string): boolean => imports.get(path)?.includes(other) ?? false

/** Why a reader cannot get to a step from the one before; null: there is a way. */
function gap(step: Step, before: string): string | null {
  const { path, composer } = step
  const caller = step.from ?? before
  if (!imports.has(path)) return `${path} does not exist`
  if (step.implements) return uses(path, caller) || usesIndexOf(path, caller) ? null : `${path} does not use ${caller}`
  if (composer === undefined) return uses(caller, path) ? null : `${caller} does not import ${path}`
  const missing = [caller, path].filter((part) => !uses(composer, part))
  return missing.length === 0 ? null : `${composer} does not import ${missing.join(' and ')}`
}

/** The interfaces of the store are imported through its index. */
const usesIndexOf = (path: string, other: string): boolean =>
  other.startsWith('store/') && uses(path, 'store/index.ts') && uses('store/index.ts', other)

const walks = readWalks()

const MEASURED = 'POST /send, to the callback'

test('the ways of a message are described', () => {
  expect([...walks].map(([title, steps]) => [title, steps.length > 10])).toEqual([
    [MEASURED, true],
    ['A linked number in place of the sandbox', true],
    ["POST /waba/send-template, to Meta's callback", true],
  ])
})

test('the way of a sandbox message has each file of which something runs only because of it', async () => {
  // Of the store only its main files are named.
  const ofOthers = (path: string) => !path.startsWith('store/')
  const listed = (walks.get(MEASURED) ?? []).map(({ path }) => path).filter(ofOthers)
  const measured = (await measureWalk()).filter(ofOthers)
  expect({
    missing: measured.filter((path) => !listed.includes(path)),
    idle: listed.filter((path) => !measured.includes(path)),
  }).toEqual({ missing: [], idle: [] })
})

describe.each([...walks])('%s', (title, steps) => {
  test.skipIf(title === MEASURED)(
    'every step exists, and imports the next, is given it, or is implemented by it',
    () => {
      const gaps = steps.slice(1).flatMap((step, i) => gap(step, steps[i]?.path ?? '') ?? [])
      expect(gaps).toEqual([])
    },
  )

  test('every line was understood', () => {
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_, i) => i + 1))
  })

  test('a step is reached from an earlier one', () => {
    for (const [i, { from }] of steps.entries()) {
      if (from !== undefined) expect(steps.slice(0, i).map(({ path }) => path)).toContain(from)
    }
  })
})

test('a gap would be found', () => {
  const step = { number: 2, path: 'messages/lane-queue.ts', from: undefined, composer: undefined, implements: false }
  expect(gap(step, 'messages/lane.ts')).toBeNull()
  expect(gap(step, 'http/server.ts')).toMatch(/does not import/)
  expect(gap({ ...step, composer: 'composition/sending.ts' }, 'messages/lane.ts')).toMatch(
    /sending\.ts does not import messages\/lane-queue\.ts/,
  )
  expect(gap({ ...step, path: 'messages/landing.ts' }, 'messages/lane.ts')).toMatch(/does not exist/)
  expect(gap({ ...step, implements: true }, 'messages/channel.ts')).toBeNull()
})
