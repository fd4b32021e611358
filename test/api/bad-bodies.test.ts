import { badBodiesSuite } from './bad-bodies.ts'

// `npm run soak` takes every value, and makes up a thousand bodies for each route.
await badBodiesSuite({ nth: 3, more: 20 })
