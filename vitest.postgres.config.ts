import { defineConfig } from 'vitest/config'
import { CHANGES_LIBRARIES, postgresProject, UNCHANGED_LIBRARIES } from './vitest.config.ts'

/** What has a store, once more with PostgreSQL. */
const WITH_A_STORE = 'test/{api,cluster,connections,crash,health,messages,route,store,webhooks}/**/*.test.ts'
/** SQLite's file itself: its log, its copies, its plans, what the owner's PC does to it. */
const ABOUT_THE_FILE = 'test/store/sqlite/**'

/** `npm run test:all` runs a choice of it. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary.ts'],
    setupFiles: ['test/support/setup.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    maxWorkers: 2,
    // Each test waits for the server more often than for anything else: how long depends on the machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    projects: [postgresProject([WITH_A_STORE], [ABOUT_THE_FILE, UNCHANGED_LIBRARIES, CHANGES_LIBRARIES])],
  },
})
