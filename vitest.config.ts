import { defineConfig } from 'vitest/config'
import LongestFirst from './test/support/longest-first.ts'
import { findPostgres } from './test/support/postgres-server.ts'

/** What differs on the second engine; most of it waits. `npm run test:postgres` has the rest. */
const ALSO_ON_POSTGRES = [
  'test/cluster/!(nodes).test.ts',
  'test/store/{messages,tallies}.test.ts',
  'test/api/send.test.ts',
]

const hasPostgres = findPostgres() !== undefined
if (!hasPostgres) console.warn('PostgreSQL is not installed: the tests with it are left out.')

/** Tests with the store in a PostgreSQL that they start. */
export const postgresProject = (include: string[], exclude: string[] = []) => ({
  extends: true as const,
  test: {
    name: 'postgres',
    isolate: false,
    include,
    exclude: ['test/soak/**', ...exclude],
    globalSetup: ['test/support/postgres-server.ts'],
    setupFiles: ['test/support/postgres-setup.ts'],
  },
})

/** What looks at the libraries as they come: Kurir changes them for the whole process when it first connects. */
export const UNCHANGED_LIBRARIES = 'test/connections/whatsapp-peer/**/*.test.ts'
/** What changes them by itself, or needs a process that has not loaded them yet. */
export const CHANGES_LIBRARIES =
  'test/connections/linked/{signatures,libsignal-quiet,oneof-getters,server-bounds}.test.ts'

/**
 * @param files tests that are left out besides the soaks
 * @param leftOut names them at the end of a run
 */
export function configOf(files: string[] = [], leftOut?: string) {
  const exclude = ['test/soak/**', ...files]
  return defineConfig({
    test: {
      exclude,
      globalSetup: ['test/support/temporary.ts'],
      setupFiles: ['test/support/setup.ts'],
      reporters: ['default', ['./test/support/closing-line.ts', { leftOut }]],
      sequence: { sequencer: LongestFirst },
      // More than twice the cores of a small machine: half of the time files wait, for a browser, a process or a timer.
      maxWorkers: 5,
      // Ends what hangs. A slow machine takes five times as long as a fast one.
      testTimeout: 240_000,
      hookTimeout: 240_000,
      // What a browser shows is waited for, however busy the machine is.
      expect: { poll: { timeout: 120_000 } },
      projects: [
        // A process runs one file after the other, with all that it has loaded and compiled.
        {
          extends: true,
          test: {
            name: 'shared',
            isolate: false,
            include: ['test/**/*.test.ts'],
            exclude: [...exclude, 'test/cluster/**', UNCHANGED_LIBRARIES, CHANGES_LIBRARIES],
          },
        },
        { extends: true, test: { name: 'unchanged', isolate: false, include: [UNCHANGED_LIBRARIES], exclude } },
        { extends: true, test: { name: 'alone', isolate: true, include: [CHANGES_LIBRARIES] } },
        ...(hasPostgres ? [postgresProject(ALSO_ON_POSTGRES, exclude)] : []),
      ],
    },
  })
}

export default configOf()
