import { readConfig } from './config.ts'
import { runHeadless } from './run.ts'

await runHeadless(() => readConfig(process.env))
