import { sandboxSuite } from './suite.ts'

sandboxSuite(20)
