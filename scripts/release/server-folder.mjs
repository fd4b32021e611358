// Lays out Kurir without a window, ready to run. Usage: node scripts/release/server-folder.mjs
// <folder> [--with-node] [--arch=arm64]
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { isShipped } from '../lib/notices.mjs'
import { inRoot } from '../lib/paths.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Also copies the bundled Node; the container image has its own. */
    'with-node': { type: 'boolean', default: false },
    /** Target processor; default: this computer's. */
    arch: { type: 'string', default: process.arch },
  },
})
const [folder] = positionals
if (folder === undefined) throw new Error('Name the folder that it is laid out in.')
if (!existsSync(inRoot('dist', '.built'))) throw new Error('Nothing is built yet: npm run build')
const system = `linux-${values.arch}`

/** Files that do not run: sources, binaries for other systems, types, source maps, docs. */
const UNNEEDED = [
  /^better-sqlite3\/(deps|src|binding\.gyp)/,
  new RegExp(`^better-sqlite3/prebuilds/(?!${system}\\.node$).+`),
  /^[^@/]+\/(test|tests|__tests__|example|examples)$/,
  /(\.map|\.d\.[cm]?ts|\.md|\.markdown)$/,
]

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const file of ['package.json', 'LICENSE', 'packaging/kurir', 'packaging/kurir.service']) copy(file)
copy('dist', (path) => !['main', '.built', 'THIRD-PARTY-NOTICES.txt'].includes(path))
cpSync(inRoot('dist', 'THIRD-PARTY-NOTICES.txt'), join(folder, 'THIRD-PARTY-NOTICES.txt'))
copyPackages()
chmodSync(join(folder, 'packaging', 'kurir'), 0o755)

function copyPackages() {
  const { packages } = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'))
  for (const [path, entry] of Object.entries(packages)) {
    if (path === '' || !isShipped(path, entry) || !existsSync(inRoot(path))) continue
    const inPackages = path.slice('node_modules/'.length)
    copy(path, (file) => file !== 'node_modules' && !isUnneeded(`${inPackages}/${file}`))
  }
  if (values['with-node']) copyNode(`node-${system}`)
}

/**
 * Copies Node to the path under node_modules/.bin that packaging/kurir and packaging/kurir.service
 * use.
 */
function copyNode(name) {
  for (const part of ['package.json', 'LICENSE', 'bin/node']) copy(`node_modules/${name}/${part}`)
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(`../${name}/bin/node`, join(folder, 'node_modules', '.bin', 'node'))
}

function isUnneeded(file) {
  return UNNEEDED.some((pattern) => pattern.test(file))
}

/**
 * @param {string} path below the root
 * @param {(inside: string) => boolean} wanted filter, called with each path below `path`
 */
function copy(path, wanted = () => true) {
  const from = inRoot(path)
  cpSync(from, join(folder, path), {
    recursive: true,
    filter: (file) => file === from || wanted(relative(from, file).split(sep).join('/')),
  })
}
