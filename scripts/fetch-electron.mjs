// Downloads Electron's runtime and shows the progress; gives up after a while without data. Exits
// with 1 on failure.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { electronVersion } from './lib/electron-runtime.mjs'

const STALLED_AFTER_MS = 20_000
const require = createRequire(import.meta.url)
// Use Electron's own copy of @electron/get, so that both use the same cache.
const { downloadArtifact } = createRequire(require.resolve('electron/package.json'))('@electron/get')

const stalled = new AbortController()
let timer = setTimeout(() => stalled.abort(new Error('nothing arrived for 20 seconds')), STALLED_AFTER_MS)
let shown = -1

try {
  await downloadArtifact({
    version: electronVersion(),
    artifactName: 'electron',
    platform: process.platform,
    arch: process.arch,
    cacheRoot: process.env.electron_config_cache,
    checksums: require('electron/checksums.json'),
    downloadOptions: { quiet: true, signal: stalled.signal, getProgressCallback: showProgress },
  })
  clearTimeout(timer)
  // Electron's script unpacks the cached file to the place where Electron's tools expect it.
  process.exitCode =
    spawnSync(process.execPath, [require.resolve('electron/install.js')], { stdio: 'inherit' }).status ?? 1
} catch (error) {
  clearTimeout(timer)
  console.error(
    `The window's runtime (Electron) could not be fetched: ${reason(error)}. Try again with: npx install-electron`,
  )
  process.exitCode = 1
}

async function showProgress({ percent }) {
  timer = timer.refresh()
  const tenth = Math.floor(percent * 10)
  if (tenth > shown) console.log(`Fetching the window's runtime (Electron, about 110 MB, only once)… ${tenth * 10} %`)
  shown = Math.max(shown, tenth)
}

function reason(error) {
  return error.cause?.message ?? error.message
}
