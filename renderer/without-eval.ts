import { z } from 'zod'

// The pages' CSP forbids eval. Zod decides when a schema is made whether to use it, so this module
// must be imported before any schema.
z.config({ jitless: true })
