// Builds dist/: main and server with the TypeScript compiler, the pages with Vite, and the licence
// texts of all shipped packages.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { markBuilt } from './lib/built.mjs'
import { compressPages } from './lib/compress.mjs'
import { noticesText, shippedPackages } from './lib/notices.mjs'
import { homepage } from './lib/package-settings.mjs'
import { inRoot, root } from './lib/paths.mjs'

const startedAt = new Date()
rmSync(inRoot('dist'), { recursive: true, force: true })
run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json')
for (const folder of ['main', 'server']) copyAssets(folder)
// `npx kurir` executes this file.
chmodSync(inRoot('dist', 'server', 'cli.js'), 0o755)
if (existsSync(inRoot('renderer', 'index.html'))) {
  const where = ['--config', 'renderer/vite.config.ts', '--outDir', inRoot('dist', 'renderer'), '--emptyOutDir']
  run('node_modules/vite/bin/vite.js', 'build', 'renderer', ...where, '--logLevel', 'warn')
  compressPages(inRoot('dist', 'renderer'))
}
const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
const notices = noticesText(shippedPackages(), { version, homepage: homepage(process.env) })
writeFileSync(inRoot('dist', 'THIRD-PARTY-NOTICES.txt'), notices)
markBuilt(startedAt)

/** Copies every file that is not TypeScript, such as icons, unchanged. */
function copyAssets(folder) {
  if (!existsSync(inRoot(folder))) return
  cpSync(inRoot(folder), inRoot('dist', folder), {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || !/\.[cm]?ts$/.test(path),
  })
}

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [inRoot(script), ...args], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
