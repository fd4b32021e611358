import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { inRoot } from './paths.mjs'

const home = inRoot('node_modules', 'electron')
/**
 * File with the version whose download failed; its modification time is the time of the failure.
 */
const failure = inRoot('node_modules', '.kurir-electron-failed')

/**
 * @returns {string | null} path of Electron's executable; null if only its npm package is installed
 */
export function findElectron() {
  const pointer = `${home}/path.txt`
  if (!existsSync(pointer)) return null
  const executable = `${home}/dist/${readFileSync(pointer, 'utf8')}`
  return existsSync(executable) ? executable : null
}

export function electronVersion() {
  return JSON.parse(readFileSync(`${home}/package.json`, 'utf8')).version
}

/**
 * A failed download costs up to 20 seconds, so the next attempt waits an hour or for another
 * version.
 */
const RETRY_AFTER_MS = 60 * 60 * 1000

export function failedLately() {
  if (!existsSync(failure) || readFileSync(failure, 'utf8') !== electronVersion()) return false
  return Date.now() - statSync(failure).mtimeMs < RETRY_AFTER_MS
}

export function rememberFailure() {
  writeFileSync(failure, electronVersion())
}

/** @returns {string | null} reason why this computer can show no window; null if it can */
export function whyNoWindow() {
  if (process.platform !== 'linux') return null
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'this computer has no screen'
  // Chromium refuses to run its sandbox as root, and Kurir shows no page without the sandbox.
  if (process.getuid?.() === 0) return 'the window does not open for root'
  return null
}
