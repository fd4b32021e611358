// Runs before npm's own scripts, on whatever Node the computer has and with nothing installed yet: plain JavaScript only.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { isBuilt } from './lib/built.mjs'
import { failedLately, findElectron, rememberFailure, whyNoWindow } from './lib/electron-runtime.mjs'
import { isInstalled } from './lib/installed.mjs'
import { findNode, NODE_TOO_OLD, willHaveNode } from './lib/node.mjs'
import { inRoot, root } from './lib/paths.mjs'

const wanted = new Set(process.argv.slice(2))

if (!willHaveNode()) stop(NODE_TOO_OLD)
if (!isInstalled()) {
  console.log('Installing what Kurir needs (only when it changed, about a minute)…')
  install()
}
const node = findNode()
if (node === null) stop(NODE_TOO_OLD)
if (wanted.has('--build') && !isBuilt()) {
  console.log('Building…')
  if (!run(node, [inRoot('scripts', 'build.mjs')])) stop('The build failed: the lines above say why.')
}
if (wanted.has('--electron') && !findElectron() && !whyNoWindow() && !failedLately()) {
  if (!run(node, [inRoot('scripts', 'fetch-electron.mjs')])) rememberFailure()
}

function install() {
  // Windows cannot delete the bundled node.exe while this very script runs on it, and `npm ci` deletes everything first.
  const update = process.platform === 'win32' && existsSync(inRoot('node_modules'))
  // npm's warnings are about the computer's own Node, which does not run Kurir. No package of ours needs its install script.
  const args = [
    ...(update ? ['install', '--no-save'] : ['ci']),
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--loglevel=error',
  ]
  const npm = process.env.npm_execpath
  const done = npm
    ? run(process.env.npm_node_execpath ?? process.execPath, [npm, ...args])
    : run('npm', args, { shell: process.platform === 'win32' })
  if (!done) stop('The installation failed: check the internet connection, then start again.')
}

function run(command, args, options = {}) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options }).status === 0
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
