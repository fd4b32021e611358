import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { inRoot } from './paths.mjs'

const home = inRoot('node_modules', 'electron')
const failure = inRoot('node_modules', '.kurir-electron-failed')

/** @returns {string | null} path of Electron's executable; null where only its npm package is installed */
export function findElectron() {
  const pointer = `${home}/path.txt`
  if (!existsSync(pointer)) return null
  const executable = `${home}/dist/${readFileSync(pointer, 'utf8')}`
  return existsSync(executable) ? executable : null
}

export function electronVersion() {
  return JSON.parse(readFileSync(`${home}/package.json`, 'utf8')).version
}

/** A download that failed once for this version is not tried again, so that a second start has no delay. */
export function hasFailedBefore() {
  return existsSync(failure) && readFileSync(failure, 'utf8') === electronVersion()
}

export function rememberFailure() {
  writeFileSync(failure, electronVersion())
}

/** @returns {string | null} why no window can be opened on this computer; null if one can */
export function whyNoWindow() {
  if (process.platform !== 'linux') return null
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'this computer has no screen'
  // Chromium refuses to run its sandbox as root, and Kurir does not run pages without it.
  if (process.getuid?.() === 0) return 'the window does not open for root'
  return null
}
