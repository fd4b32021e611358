import { delimiter } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { findPostgres } from './postgres-server.ts'
import { BROWSERS, findProgram, hasLibrary, LIBRARIES } from './run.ts'

/**
 * Programs that tests use, by the name that is shown: one of each is enough. Without it those tests
 * are skipped.
 */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  Chromium: BROWSERS,
  php: ['php'],
  'php-cgi': ['php-cgi'],
  python3: ['python3'],
  javac: ['javac'],
  mcs: ['mcs'],
  vbc: ['vbc'],
  promtool: ['promtool'],
  fpc: ['fpc'],
  apprise: ['apprise'],
  nginx: ['nginx'],
  pgbouncer: ['pgbouncer'],
  'systemd-analyze': ['systemd-analyze'],
}
/** Debian keeps servers out of the PATH of users. */
const FOR_SERVERS = '/usr/sbin'

/** Names what is not installed and has tests. */
export function missingPrograms(path: string): string[] {
  const missing = Object.entries(PROGRAMS).filter(([, names]) => findProgram(names, path) === undefined)
  return missing.map(([shown]) => shown)
}

/**
 * Closes a run with what is missing, and one plain line that any CI can read: `N passed, N failed,
 * N skipped`.
 */
export default class ClosingLine implements Reporter {
  readonly #leftOut: string | undefined

  /** @param leftOut names the tests that this run does without */
  constructor({ leftOut }: { leftOut?: string | undefined } = {}) {
    this.#leftOut = leftOut
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1
      // A file that cannot be loaded holds no test at all: that is a failure, not nothing.
      if (module.errors().length > 0) counts.failed += 1
    }
    const missing = missingPrograms([process.env.PATH ?? '', FOR_SERVERS].join(delimiter))
    missing.push(...Object.keys(LIBRARIES).filter((name) => !hasLibrary(name)))
    if (findPostgres() === undefined) missing.push('PostgreSQL')
    const why =
      counts.skipped === 0 || missing.length === 0
        ? ''
        : `\nNot installed, so that tests with it are skipped: ${missing.join(', ')}`
    const leftOut = this.#leftOut === undefined ? '' : `\nLeft out: ${this.#leftOut}`
    // Printed after the default reporter's summary, which is written on the same event.
    process.once('exit', () => {
      process.stdout.write(
        `${why}${leftOut}\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
      )
    })
  }
}
