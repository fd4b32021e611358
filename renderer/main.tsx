import './ask-early.ts'
import { z } from 'zod'

// The pages' CSP forbids eval, and Zod decides while a schema is made: so this comes before anything with a schema.
z.config({ jitless: true })

const { openWindow } = await import('./open-window.tsx')
const { logInByLink } = await import('./api/session.ts')
await logInByLink()
await openWindow()
