import { racingSuite } from '../media/racing.ts'

racingSuite(3_000)
