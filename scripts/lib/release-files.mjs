import { readFileSync } from 'node:fs'
import { inRoot } from './paths.mjs'

/**
 * Returns the files of a release. Each package format has its own names for the processors; a test
 * compares them with electron-builder.yml.
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

/** @param {string} version @returns {string} name of the SBOM file */
export const sbomFile = (version) => `kurir-${version}-sbom.cdx.json`

/**
 * Returns true for the files that the updater of a signed build reads. They exist only in a build
 * with a certificate.
 * @param {string} name
 */
export const isForUpdates = (name) => /^latest(-mac)?\.yml$|\.blockmap$/.test(name)

/** @returns {string} as in package.json */
export const packageVersion = () => JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).version

/**
 * Returns the section of a version in CHANGELOG.md.
 * @param {string} version
 * @returns {string | undefined} undefined if there is no such section
 */
export function changesOf(version) {
  const sections = readFileSync(inRoot('CHANGELOG.md'), 'utf8').split(/^## /m)
  const section = sections.find((text) => text.startsWith(`[${version}]`))
  return section?.slice(section.indexOf('\n')).trim()
}
