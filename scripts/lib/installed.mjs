import { existsSync, readFileSync } from 'node:fs'
import { inRoot } from './paths.mjs'

/**
 * Whether node_modules holds what the lockfile names. npm keeps its own record of what it installed and writes it
 * last, so an interrupted install, a hand-made one and a changed lockfile are all seen, without a stamp of ours.
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
