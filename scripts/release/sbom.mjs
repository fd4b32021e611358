// Writes the SBOM of a release. Usage: node scripts/release/sbom.mjs [folder], after `npm ci`. The
// default folder is release/.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../lib/paths.mjs'
import { packageVersion, sbomFile } from '../lib/release-files.mjs'
import { sbomText } from '../lib/sbom.mjs'

const [folder = inRoot('release')] = process.argv.slice(2)
const version = packageVersion()
const file = join(folder, sbomFile(version))
mkdirSync(folder, { recursive: true })
writeFileSync(file, sbomText(version))
console.log(file)
