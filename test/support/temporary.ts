import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const IN_MEMORY = '/dev/shm'
const ROOM = 4 * 1024 ** 3

/** Checks Linux's folder in memory, which some containers keep small or mount without execution. */
function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const [, , , options = ''] = mounts.find((line) => line.split(' ')[1] === IN_MEMORY)?.split(' ') ?? []
    return bavail * bsize >= ROOM && options !== '' && !options.split(',').includes('noexec')
  } catch {
    return false
  }
}

/**
 * Creates the folder for all tests' files, removed after the run. Uses memory if there is room, so
 * that thousands of small databases do not wait for a disk.
 */
export default function setup(): void {
  const folder = mkdtempSync(join(hasRoomInMemory() ? IN_MEMORY : tmpdir(), 'kurir-tests-'))
  // Linux and macOS read `TMPDIR`, Windows reads `TEMP`.
  process.env.TMPDIR = folder
  process.env.TEMP = folder
  // Starting a process is mostly compiling, so the first process compiles for all.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  // Also runs if the tests are aborted. A process that has not ended yet may still write there.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
}
