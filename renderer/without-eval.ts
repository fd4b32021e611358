import { z } from 'zod'

// The pages' CSP forbids eval, and Zod decides while a schema is made: so this is imported before
// anything with a schema.
z.config({ jitless: true })
