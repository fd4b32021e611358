import { delimiter } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { findPostgres } from './postgres-server.ts'
import { BROWSERS, findProgram, hasLibrary, LIBRARIES } from './run.ts'

/**
 * Programs that tests use, by display name, with alternative names. Tests of a missing program are
 * skipped.
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
/** Debian keeps servers outside of a user's PATH. */
const FOR_SERVERS = '/usr/sbin'

/** Returns the display names of programs that are not installed. */
export function missingPrograms(path: string): string[] {
  const missing = Object.entries(PROGRAMS).filter(([, names]) => findProgram(names, path) === undefined)
  return missing.map(([shown]) => shown)
}

/**
 * Ends a test run with the missing programs and one plain line that any CI can read: `N passed, N
 * failed, N skipped`.
 */
export default class ClosingLine implements Reporter {
  readonly #leftOut: string | undefined

  /** @param leftOut tests that this run leaves out */
  constructor({ leftOut }: { leftOut?: string | undefined } = {}) {
    this.#leftOut = leftOut
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1
      // A file that cannot be loaded contains no tests, so count the file itself as a failure.
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
    // On exit, because the default reporter writes its summary on the same event as this one.
    process.once('exit', () => {
      process.stdout.write(
        `${why}${leftOut}\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
      )
    })
  }
}
