// `npm run package`: builds the desktop programs for this system into release/. Passes further
// arguments to electron-builder.
import { spawnSync } from 'node:child_process'
import { packageSettings } from './lib/package-settings.mjs'
import { inRoot, root } from './lib/paths.mjs'

const { args, env } = packageSettings(process.env, process.platform)
const builder = inRoot('node_modules', 'electron-builder', 'cli.js')
const { status } = spawnSync(process.execPath, [builder, ...args, ...process.argv.slice(2)], {
  cwd: root,
  env,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
