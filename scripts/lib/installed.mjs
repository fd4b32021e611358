import { existsSync, readFileSync } from 'node:fs'
import { inRoot } from './paths.mjs'

/**
 * Returns true if node_modules holds everything that the lockfile names. npm writes its record of
 * installed packages last, so an interrupted install, a manual one and a changed lockfile all show
 * there.
 */
export function isInstalled() {
  const record = inRoot('node_modules', '.package-lock.json')
  if (!existsSync(record)) return false
  const present = readPackages(record)
  return Object.entries(readPackages(inRoot('package-lock.json'))).every(
    ([path, wanted]) => path === '' || wanted.optional || present[path]?.version === wanted.version,
  )
}

/** @returns {Record<string, { version?: string, optional?: boolean }>} */
function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}
