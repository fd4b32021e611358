import { linkedSuite } from './suite.ts'

linkedSuite(40)
