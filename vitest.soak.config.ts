import { defineConfig } from 'vitest/config'

/** The long runs: a thousand power cuts, a thousand bad bodies for each route. Part of no other run. */
export default defineConfig({
  test: {
    include: ['test/soak/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    maxWorkers: 1,
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
  },
})
