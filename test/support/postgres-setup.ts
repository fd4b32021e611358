import { inject } from 'vitest'

/** Before anything else of a file is loaded: support/engine.ts looks at it. */
process.env.KURIR_TEST_POSTGRES = inject('postgres')
