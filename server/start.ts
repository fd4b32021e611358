import './process/private-files.ts'
import './process/small-heap.ts'
import { readConfig } from './config.ts'
import { parentPort, runDesktop } from './process/desktop.ts'
import { runHeadless } from './process/headless.ts'

const read = () => readConfig(process.env)
const shell = parentPort()

if (shell) runDesktop(shell, read)
else runHeadless(read)
