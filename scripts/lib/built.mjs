import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from './paths.mjs'

const SOURCES = [
  'main',
  'server',
  'renderer',
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
  'scripts/build.mjs',
]
const stamp = inRoot('dist', '.built')

/**
 * Returns true if dist/ is at least as new as every source. Folders count too, so that a deleted
 * file is noticed.
 */
export function isBuilt() {
  if (!existsSync(stamp)) return false
  const builtAt = statSync(stamp).mtimeMs
  return SOURCES.every((source) => newest(inRoot(source)) <= builtAt)
}

/**
 * Records a finished build.
 * @param {Date} startedAt recorded instead of the end, so that a file saved during the build counts
 * as newer
 */
export function markBuilt(startedAt) {
  writeFileSync(stamp, '')
  utimesSync(stamp, startedAt, startedAt)
}

/** @param {string} path @returns {number} milliseconds since 1970; 0 if the path does not exist */
function newest(path) {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs)
}
