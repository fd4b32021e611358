import { defineConfig } from 'vitest/config'
import LongestFirst from './test/support/longest-first.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/soak/**'],
    reporters: ['default', './test/support/closing-line.ts'],
    // A worker runs one file after the other, with what it has loaded and compiled.
    isolate: false,
    globalSetup: ['test/support/temporary.ts'],
    setupFiles: ['test/support/setup.ts'],
    sequence: { sequencer: LongestFirst },
    // One more than the cores of a small machine: a third of the time files wait, for a browser, a process or a timer.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What a browser shows is waited for, however busy the machine is.
    expect: { poll: { timeout: 15_000 } },
  },
})
