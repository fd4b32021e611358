import './small-heap.ts'
import { readConfig } from './config.ts'
import { parentPort, runDesktop } from './desktop/run.ts'
import { runHeadless } from './run.ts'

const read = () => readConfig(process.env)
const shell = parentPort()

if (shell) runDesktop(shell, read)
else runHeadless(read)
