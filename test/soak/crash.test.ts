import { sandboxSuite } from '../crash/suite.ts'

sandboxSuite(1_000)
