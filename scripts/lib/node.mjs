import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isNodeNewEnough } from './node-version.mjs'
import { inRoot } from './paths.mjs'

const require = createRequire(import.meta.url)

/**
 * Finds a Node that can run Kurir: the current one, or the one that npm installed as an optional
 * dependency.
 * @returns {string | null} path of its executable; null if there is none
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

/**
 * Returns true if a Node for Kurir will be there after the install. Works before anything is
 * installed.
 */
export function willHaveNode() {
  if (isNodeNewEnough(process.versions.node)) return true
  const { optionalDependencies = {} } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
  return bundledName() in optionalDependencies
}

const bundledName = () => `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
