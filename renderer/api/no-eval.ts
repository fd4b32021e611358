import { z } from 'zod'

// The pages' CSP forbids eval. Zod decides while a schema is made, so this is imported before any schema.
z.config({ jitless: true })
