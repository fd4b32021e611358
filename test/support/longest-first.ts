import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/**
 * Tests that need the processor all the time, a browser's share included, longest first: folders of
 * test/, or the beginnings of files in them.
 */
const BUSY = ['window/pages', 'window/leaving', 'window/']
/** Tests that wait for a process, a timer or a peer for half of their time, longest first. */
const WAITING = [
  'cluster/linked',
  'cluster/outage',
  'cluster/moved',
  'cluster/upgrade',
  'crash/linked',
  'drill/limits',
  'crash/',
  'fuzz/',
  'route/',
  'docs/clients',
  'ops/',
  'drill/',
  'docs/',
  'connections/',
]
/** Files that wait are about half as long as those with a browser. */
const WAITING_FOR_EACH_BUSY = 2

const rank = (names: readonly string[], { moduleId }: TestSpecification): number => {
  const path = moduleId.replaceAll('\\', '/')
  const found = names.findIndex((one) => path.includes(`/test/${one}`))
  return found === -1 ? names.length : found
}
const byRank = (names: readonly string[]) => (a: TestSpecification, b: TestSpecification) =>
  rank(names, a) - rank(names, b)

/**
 * A process that runs one file after the other ends where the next in line is of another project:
 * these come first.
 */
const ofOtherProjects = ({ project }: TestSpecification): number =>
  project.name === 'shared' ? 2 : project.config.isolate ? 0 : 1

/**
 * Begins no long file when all others are done, and runs those that wait beside those that need the
 * processor, also where no earlier run has left its times.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files))
      .toSorted(byRank(WAITING))
      .toSorted((a, b) => ofOtherProjects(a) - ofOtherProjects(b) || a.project.name.localeCompare(b.project.name))
    const shared = sorted.filter(({ project }) => project.name === 'shared')
    const isBusy = (file: TestSpecification) => rank(BUSY, file) < BUSY.length
    const busy = shared.filter(isBusy).toSorted(byRank(BUSY))
    const waiting = shared.filter((file) => !isBusy(file)).toSorted(byRank(WAITING))
    const mixed = busy.flatMap((file, n) => [
      file,
      ...waiting.slice(n * WAITING_FOR_EACH_BUSY, (n + 1) * WAITING_FOR_EACH_BUSY),
    ])
    return [
      ...sorted.slice(0, sorted.length - shared.length),
      ...mixed,
      ...waiting.slice(busy.length * WAITING_FOR_EACH_BUSY),
    ]
  }
}
