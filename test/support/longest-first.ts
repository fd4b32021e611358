import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** What takes longest, longest first: folders of test/, or the beginnings of files in them. */
const LONG = ['crash/linked', 'window/', 'drill/', 'crash/', 'ops/', 'route/', 'docs/', 'connections/']

const place = ({ moduleId, project }: TestSpecification): number => {
  // A process that runs one file after the other ends where the next in line wants one of its own.
  if (project.config.isolate) return -1
  const path = moduleId.replaceAll('\\', '/')
  const found = LONG.findIndex((one) => path.includes(`/test/${one}`))
  return found === -1 ? LONG.length : found
}

/** So that no long file begins when all others are done, also where no earlier run has left its times. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}
