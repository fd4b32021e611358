import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)

/** The database's native module is built for N-API 10; an older Node crashes on it instead of refusing it. */
const NEEDED_NAPI = 10

/**
 * A Node that can run Kurir: the one that runs now, or the one that npm brought along as an optional dependency.
 * @returns {string | null} path of its executable; null where there is none
 */
export function findNode() {
  if (Number(process.versions.napi) >= NEEDED_NAPI) return process.execPath
  try {
    const home = join(require.resolve(`node-${system()}-${process.arch}/package.json`), '..')
    const bundled = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(bundled) ? bundled : null
  } catch {
    return null
  }
}

/** One sentence for a person whose Node is too old. */
export const NODE_TOO_OLD = `Kurir needs a newer Node than ${process.version}: install Node 24 LTS from https://nodejs.org, then start again.`

function system() {
  return process.platform === 'win32' ? 'win' : process.platform
}
