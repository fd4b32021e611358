import { readFileSync } from 'node:fs'
import { inRoot } from './paths.mjs'

/**
 * The files of a release. Each form names the processors as its users know them; a test compares them with
 * electron-builder.yml.
 * @param {string} version without the v
 * @returns {string[]}
 */
export function releaseFiles(version) {
  const both = (...endings) => ['x64', 'arm64'].flatMap((arch) => endings.map((ending) => ending.replace('*', arch)))
  return [
    ...both('windows-*.exe', 'mac-*.dmg', 'mac-*.zip').map((name) => `Kurir-${version}-${name}`),
    ...['x86_64.AppImage', 'arm64.AppImage', 'amd64.deb', 'arm64.deb'].map((name) => `Kurir-${version}-linux-${name}`),
    ...both('linux-*.tar.gz').map((name) => `kurir-server-${version}-${name}`),
    sbomFile(version),
  ]
}

/** @param {string} version @returns {string} name of the list of its parts */
export const sbomFile = (version) => `kurir-${version}-sbom.cdx.json`

/**
 * What the updater of a signed build reads and fetches. These are there or not, with the certificate.
 * @param {string} name
 */
export const isForUpdates = (name) => /^latest(-mac)?\.yml$|\.blockmap$/.test(name)

/** @returns {string} as in package.json */
export const packageVersion = () => JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).version

/**
 * What CHANGELOG.md says of a version.
 * @param {string} version
 * @returns {string | undefined} undefined where it has no such section
 */
export function changesOf(version) {
  const sections = readFileSync(inRoot('CHANGELOG.md'), 'utf8').split(/^## /m)
  const section = sections.find((text) => text.startsWith(`[${version}]`))
  return section?.slice(section.indexOf('\n')).trim()
}
