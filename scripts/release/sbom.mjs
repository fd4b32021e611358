// The list of a release's parts (SBOM): node scripts/release/sbom.mjs [folder]. Into release/ where no folder is
// named, after `npm ci`.
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
