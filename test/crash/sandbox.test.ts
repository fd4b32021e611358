import { sandboxSuite } from './suite.ts'

sandboxSuite(6)
