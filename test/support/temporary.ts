import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const IN_MEMORY = '/dev/shm'
const ROOM = 4 * 1024 ** 3

/** Linux has a folder in memory, which some containers keep small, or run nothing from. */
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
 * Files of tests are gone after the run, and in memory where there is room: thousands of small
 * databases wait for no disk.
 */
export default function setup(): void {
  const folder = mkdtempSync(join(hasRoomInMemory() ? IN_MEMORY : tmpdir(), 'kurir-tests-'))
  // `TMPDIR` is read on Linux and macOS, `TEMP` on Windows.
  process.env.TMPDIR = folder
  process.env.TEMP = folder
  // Most of a process's start is compiling: the first one does it for all.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  // Also where the run is broken off.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}
