import type { Reporter, TestModule } from 'vitest/node'

/** Closes a run with one plain line that any CI can read: `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1
      // A file that cannot be loaded holds no test at all: that is a failure, not nothing.
      if (module.errors().length > 0) counts.failed += 1
    }
    // Printed after the default reporter's summary, which is written on the same event.
    process.once('exit', () => {
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
    })
  }
}
