import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/soak/**'],
    reporters: ['default', './test/support/closing-line.ts'],
    // One Chromium and several real servers run at the same time on two cores.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What a browser shows is waited for, however busy the machine is.
    expect: { poll: { timeout: 15_000 } },
  },
})
