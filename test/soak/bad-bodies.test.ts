import { badBodiesSuite } from '../api/bad-bodies.ts'

await badBodiesSuite({ nth: 1, more: 1_000 })
