// Runs before anything is installed, so it is plain JavaScript and uses no package.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { isBuilt } from './built.mjs'
import { failedLately, findElectron, rememberFailure, whyNoWindow } from './electron-runtime.mjs'
import { isInstalled } from './installed.mjs'
import { findNode, willHaveNode } from './node.mjs'
import { stopForOldNode } from './node-version.mjs'
import { inRoot, root } from './paths.mjs'

const wanted = new Set(process.argv.slice(2))

if (!willHaveNode()) stopForOldNode()
if (!isInstalled()) {
  if (!isWritable())
    stop(`This account may not write to ${root}: give the folder to it, or start a copy in a folder of your own.`)
  console.log('Installing what Kurir needs (only when it changed, about a minute)…')
  install()
}
const node = findNode()
if (node === null) stopForOldNode()
if (wanted.has('--build') && !isBuilt()) {
  console.log('Building…')
  if (!run(node, [inRoot('scripts', 'build.mjs')])) stop('The build failed: the lines above say why.')
}
if (wanted.has('--electron') && !findElectron() && !whyNoWindow() && !failedLately()) {
  if (!run(node, [inRoot('scripts', 'fetch-electron.mjs')])) rememberFailure()
}

function install() {
  // `npm ci` deletes everything first, but Windows cannot delete the bundled node.exe while this
  // script runs on it.
  const update = process.platform === 'win32' && existsSync(inRoot('node_modules'))
  // npm's warnings concern the computer's own Node, which does not run Kurir. No package needs its
  // install script.
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

function isWritable() {
  try {
    accessSync(root, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function run(command, args, options = {}) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options }).status === 0
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
