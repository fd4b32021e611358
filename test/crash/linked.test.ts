import { linkedSuite } from './suite.ts'

// `npm run soak` kills it a thousand times.
linkedSuite(6)
