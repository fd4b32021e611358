import { defineConfig } from 'vitest/config'

/** A bad month with WhatsApp in minutes; prints what each message experienced. Part of no other run. */
export default defineConfig({
  test: {
    include: ['test/drill/**/*.drill.ts'],
    setupFiles: ['test/support/setup.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    maxWorkers: 1,
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
  },
})
