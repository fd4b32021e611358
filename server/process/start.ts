import { keepHeapSmall } from '../lib/heap.ts'

keepHeapSmall()

// Not imported statically: the rest of the program would be loaded before `keepHeapSmall`, and let
// the heap grow.
const [{ readConfig }, { parentPort, runDesktop }, { runHeadless }] = await Promise.all([
  import('../settings/config.ts'),
  import('./desktop.ts'),
  import('./headless.ts'),
])

const read = () => readConfig(process.env)
const shell = parentPort()

if (shell) runDesktop(shell, read)
else runHeadless(read)
