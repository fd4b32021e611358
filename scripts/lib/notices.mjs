import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from './paths.mjs'

/**
 * A package whose code is part of a release.
 * @typedef {{ path: string, name: string, version: string, license: string, author: string, text:
 * string }} Shipped
 */

/**
 * A package's entry in the lockfile.
 * @typedef {{ dependencies?: object, peerDependencies?: object, peerDependenciesMeta?:
 * Record<string, { optional?: boolean }> }} Entry
 */

/** File names of licences, and of the notice that Apache-2.0 requires to be passed on. */
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([-.].*)?$/i

/**
 * Returns the packages in a release: the installed production dependencies, and everything that the
 * window's pages import, with their dependencies. Optional peers (sharp) and the bundled Node are
 * left out.
 * @returns {Shipped[]} sorted by name; each version once
 */
export function shippedPackages() {
  const { packages } = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'))
  const production = Object.keys(packages).filter((path) => path !== '' && isShipped(path, packages[path]))
  const found = new Map()
  for (const path of [...production, ...closure(packages, importedByPages())]) {
    if (!existsSync(inRoot(path, 'package.json'))) continue
    const one = describe(path)
    found.set(`${one.name}@${one.version}`, one)
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

/**
 * Returns true if a package of the lockfile goes into the programs.
 * @param {string} path
 * @param {{ dev?: boolean, peer?: boolean }} entry
 */
export function isShipped(path, { dev, peer }) {
  return !dev && !peer && !/^node_modules\/(node-(linux|win)-|@types\/)/.test(path)
}

/** @param {Shipped[]} shipped @param {{ version: string, homepage?: string }} kurir @returns {string} */
export function noticesText(shipped, { version, homepage }) {
  const source = homepage === undefined ? 'the place that you have this program from' : homepage
  const head = [
    `Kurir ${version} is free software under the GNU General Public License, version 3 or later: see LICENSE.`,
    `Its source is published with it: tag v${version} at ${source}.`,
    '',
    'It contains the packages below, each under its own licence. Where the program brings Electron or Node.js, their',
    'licences lie beside it (LICENSE.electron.txt, LICENSES.chromium.html, node_modules/node-*/LICENSE).',
  ]
  const rule = '-'.repeat(80)
  const parts = shipped.map(({ name, version: of, license, author, text }) => {
    const title = `${name} ${of} (${license})${author === '' ? '' : `, by ${author}`}`
    return [rule, title, rule, '', text === '' ? `Licence: ${license}. The package brings no text of it.` : text].join(
      '\n',
    )
  })
  return `${[head.join('\n'), ...parts].join('\n\n')}\n`
}

/** @param {string} path @returns {Shipped} */
function describe(path) {
  const about = JSON.parse(readFileSync(inRoot(path, 'package.json'), 'utf8'))
  const text = readdirSync(inRoot(path))
    .filter((file) => LICENCE_FILE.test(file))
    .map((file) => readFileSync(inRoot(path, file), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n')
  const { name, version, license, author } = about
  const by = typeof author === 'string' ? author : (author?.name ?? '')
  return {
    path,
    name,
    version,
    license: typeof license === 'string' ? license : (license?.type ?? ''),
    author: by,
    text,
  }
}

/** Returns the names of packages that the pages' sources import. */
function importedByPages() {
  const names = new Set()
  for (const file of readdirSync(inRoot('renderer'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.(tsx?|css)$/.test(file) || file === 'vite.config.ts') continue
    const text = readFileSync(inRoot('renderer', file), 'utf8')
    for (const [, target = ''] of text.matchAll(/(?:from|import|@import)\s*\(?\s*'([^'./][^']*)'/g)) {
      if (!target.includes(':'))
        names.add(
          target
            .split('/')
            .slice(0, target.startsWith('@') ? 2 : 1)
            .join('/'),
        )
    }
  }
  return [...names]
}

/**
 * Returns the paths of packages and of all their dependencies, resolved like Node does: the nearest
 * node_modules first.
 * @param {Record<string, Entry>} packages
 * @param {string[]} names
 */
function closure(packages, names) {
  const seen = new Set()
  const visit = (name, from) => {
    const path = resolve(packages, name, from)
    if (path === null || seen.has(path)) return
    seen.add(path)
    const { dependencies, peerDependencies, peerDependenciesMeta } = packages[path]
    const peers = Object.keys(peerDependencies ?? {}).filter((peer) => peerDependenciesMeta?.[peer]?.optional !== true)
    for (const next of [...Object.keys(dependencies ?? {}), ...peers]) visit(next, path)
  }
  for (const name of names) visit(name, '')
  return [...seen].filter((path) => !path.startsWith('node_modules/@types/'))
}

function resolve(packages, name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = join(folder, 'node_modules', name).replaceAll('\\', '/')
    if (packages[path] !== undefined) return path
    if (folder === '') return null
  }
}
