import type { Variant } from './rounds.ts'

/** Through the sandbox: every fifth number is not on WhatsApp. */
export const sandbox: Variant = {
  env: {},
  prepare: async () => 'SND-SANDBOX',
  phoneOf: (n) => (n % 5 === 4 ? '6281234560001' : `62812345${String(10 + (n % 90))}00`),
}
