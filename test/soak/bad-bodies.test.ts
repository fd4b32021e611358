import { badBodiesSuite } from '../api/bad-bodies.ts'

await badBodiesSuite(1_000)
