import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/**
 * Tests that keep the CPU busy, including a browser's share, longest first. Folders of test/, or
 * beginnings of file names in them.
 */
const BUSY = ['window/pages', 'window/leaving', 'window/']
/** Tests that wait for a process, a timer or a peer half of the time, longest first. */
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
/** Waiting files take about half as long as those with a browser. */
const WAITING_FOR_EACH_BUSY = 2

const rank = (names: readonly string[], { moduleId }: TestSpecification): number => {
  const path = moduleId.replaceAll('\\', '/')
  const found = names.findIndex((one) => path.includes(`/test/${one}`))
  return found === -1 ? names.length : found
}
const byRank = (names: readonly string[]) => (a: TestSpecification, b: TestSpecification) =>
  rank(names, a) - rank(names, b)

/**
 * Puts files of other projects first: a worker process that runs files one after the other ends
 * when the next file belongs to another project.
 */
const ofOtherProjects = ({ project }: TestSpecification): number =>
  project.name === 'shared' ? 2 : project.config.isolate ? 0 : 1

/**
 * Starts no long file when all others are done, and runs waiting files beside busy ones, even if no
 * earlier run has recorded the durations.
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
