import { badBodiesSuite } from './bad-bodies.ts'

// `npm run soak` makes up a thousand for each route.
await badBodiesSuite(20)
