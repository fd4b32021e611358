import { defineConfig } from 'vitest/config'
import { findPostgres } from './test/support/postgres-server.ts'

/** These run a second time with the store in PostgreSQL. */
const BOTH_ENGINES = [
  'test/store/messages.test.ts',
  'test/messages/lane-*.test.ts',
  'test/messages/sandbox.test.ts',
  'test/webhooks/deliverer.test.ts',
  'test/webhooks/retries.test.ts',
  'test/webhooks/sender-events.test.ts',
  'test/api/send.test.ts',
  'test/api/idempotency.test.ts',
  'test/cluster/**/*.test.ts',
  'test/crash/sandbox.test.ts',
]

const hasPostgres = findPostgres() !== undefined
if (!hasPostgres) console.warn('PostgreSQL is not installed: the tests with it are left out.')

export default defineConfig({
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    // One Chromium and several real servers run at the same time on two cores.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What a browser shows is waited for, however busy the machine is.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'sqlite', include: ['test/**/*.test.ts'], exclude: ['test/soak/**', 'test/cluster/**'] },
      },
      ...(hasPostgres
        ? [
            {
              extends: true as const,
              test: {
                name: 'postgres',
                include: BOTH_ENGINES,
                globalSetup: ['test/support/postgres-server.ts'],
                setupFiles: ['test/support/postgres-setup.ts'],
              },
            },
          ]
        : []),
    ],
  },
})
