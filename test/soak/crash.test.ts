import { linkedSuite, sandboxSuite } from '../crash/suite.ts'

linkedSuite(1_000)
sandboxSuite(1_000)
