import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { inRoot } from './paths.mjs'

const home = inRoot('node_modules', 'electron')
/** Holds the version whose download failed; its time is the time of the failure. */
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

/** A failed download costs up to 20 seconds: it is tried again at a start an hour later, or for another version. */
const RETRY_AFTER_MS = 60 * 60 * 1000

export function failedLately() {
  if (!existsSync(failure) || readFileSync(failure, 'utf8') !== electronVersion()) return false
  return Date.now() - statSync(failure).mtimeMs < RETRY_AFTER_MS
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
