// `npm start`: opens the desktop window where Electron can run, otherwise serves the pages to a
// browser.
import { spawn } from 'node:child_process'
import { findElectron, whyNoWindow } from './lib/electron-runtime.mjs'
import { inRoot, root } from './lib/paths.mjs'

/**
 * If Electron fails sooner than this, its window never appeared, mostly because the system forbids
 * its sandbox.
 */
const STARTED_AFTER_MS = 10_000

const electron = findElectron()
const obstacle =
  whyNoWindow() ?? (electron ? null : 'its runtime is not installed; fetch it with: npx install-electron')
if (obstacle) await serve(obstacle)
else openWindow()

function openWindow() {
  const startedAt = Date.now()
  const window = spawn(electron, [root, ...process.argv.slice(2)], { stdio: 'inherit' })
  let wasEnded = false
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      wasEnded = true
      window.kill(signal)
    })
  }
  window.on('error', (error) => serve(error.message))
  window.on('exit', (code, signal) => {
    const failed = code !== 0 && !wasEnded && Date.now() - startedAt < STARTED_AFTER_MS
    if (failed) void serve(`Electron ended at once with ${signal ?? code}`)
    else process.exitCode = code ?? 1
  })
}

async function serve(why) {
  console.log(`Electron opens no window here (${why}): serving the same pages to your browser instead.`)
  process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM')
  process.argv[1] = inRoot('dist', 'server', 'main.js')
  await import('../dist/server/main.js')
}
