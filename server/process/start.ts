import { readConfig } from '../settings/config.ts'
import { parentPort, runDesktop } from './desktop.ts'
import { runHeadless } from './headless.ts'

const read = () => readConfig(process.env)
const shell = parentPort()

if (shell) runDesktop(shell, read)
else runHeadless(read)
