import { defineConfig } from 'vitest/config'
import LongestFirst from './test/support/longest-first.ts'

/** What looks at the libraries as they come: Kurir changes them for the whole process when it first connects. */
const UNCHANGED_LIBRARIES = 'test/connections/whatsapp-peer/**/*.test.ts'
/** What changes them by itself, or needs a process that has not loaded them yet. */
const CHANGES_LIBRARIES = 'test/connections/linked/{signatures,libsignal-quiet,oneof-getters}.test.ts'
const exclude = ['test/soak/**']

export default defineConfig({
  test: {
    exclude,
    globalSetup: ['test/support/temporary.ts'],
    setupFiles: ['test/support/setup.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    sequence: { sequencer: LongestFirst },
    // Twice the cores of a small machine: half of the time files wait, for a browser, a process or a timer.
    maxWorkers: 4,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What a browser shows is waited for, however busy the machine is.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      // A process runs one file after the other, with all that it has loaded and compiled.
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, UNCHANGED_LIBRARIES, CHANGES_LIBRARIES],
        },
      },
      { extends: true, test: { name: 'unchanged', isolate: false, include: [UNCHANGED_LIBRARIES] } },
      { extends: true, test: { name: 'alone', isolate: true, include: [CHANGES_LIBRARIES] } },
    ],
  },
})
