import { defineConfig } from 'vitest/config'
import { postgresProject } from './vitest.config.ts'

/** Every test of the program that can run on PostgreSQL, once more with it. Not part of `npm test`, which runs a choice of them. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary.ts'],
    setupFiles: ['test/support/setup.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      postgresProject([
        'test/store/{messages,tallies}.test.ts',
        'test/messages/**/*.test.ts',
        'test/webhooks/**/*.test.ts',
        'test/api/**/*.test.ts',
        'test/connections/**/*.test.ts',
        'test/cluster/**/*.test.ts',
        'test/crash/*.test.ts',
      ]),
    ],
  },
})
