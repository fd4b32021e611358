import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inRoot } from './paths.mjs'

const require = createRequire(import.meta.url)

/**
 * Whether a Node runs Kurir: 22.19 and newer, 24 and newer. The database's native module needs N-API 10 and crashes an
 * older Node instead of refusing it. `engines` in package.json and server/process/node-version.ts say the same.
 * @param {string} version as in `process.versions.node`
 */
export function isNodeNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major === 22 ? minor >= 19 : major >= 24
}

/** One sentence for a person whose Node is too old. */
export const NODE_TOO_OLD = `Kurir needs a newer Node than ${process.version}: install Node 24 LTS from https://nodejs.org, then start again.`

/**
 * A Node that can run Kurir: the one that runs now, or the one that npm brought along as an optional dependency.
 * @returns {string | null} path of its executable; null where there is none
 */
export function findNode() {
  if (isNodeNewEnough(process.versions.node)) return process.execPath
  try {
    const home = join(require.resolve(`${bundledName()}/package.json`), '..')
    const bundled = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(bundled) ? bundled : null
  } catch {
    return null
  }
}

/** Whether this computer will have a Node for Kurir after the install. Asks before anything is installed. */
export function willHaveNode() {
  if (isNodeNewEnough(process.versions.node)) return true
  const { optionalDependencies = {} } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
  return bundledName() in optionalDependencies
}

const bundledName = () => `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
