import { inject } from 'vitest'

/** Set before anything else is loaded, because support/engine.ts reads it. */
process.env.KURIR_TEST_POSTGRES = inject('postgres')
