// Usage: node scripts/release/complete.mjs <folder>, before a release is uploaded. Checks that
// every file is there, that no unexpected one is, and that the updater's files name files of this
// folder. Then writes SHA256SUMS.
import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isForUpdates, packageVersion, releaseFiles } from '../lib/release-files.mjs'

const [folder = '.'] = process.argv.slice(2)
const found = readdirSync(folder).filter((name) => name !== 'SHA256SUMS')
const expected = releaseFiles(packageVersion())
const faults = [
  ...expected.filter((name) => !found.includes(name)).map((name) => `missing: ${name}`),
  ...found.filter((name) => !expected.includes(name) && !isForUpdates(name)).map((name) => `not expected: ${name}`),
  ...found.filter((name) => statSync(join(folder, name)).size === 0).map((name) => `empty: ${name}`),
  ...found.filter((name) => name.endsWith('.yml')).flatMap(namedButMissing),
]
if (faults.length > 0) {
  console.error(`The release is not complete.\n${faults.join('\n')}`)
  process.exit(1)
}
const sums = []
for (const name of found.toSorted()) sums.push(`${await sha256(join(folder, name))}  ${name}\n`)
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
console.log(`All ${found.length} files are there; their checksums are in SHA256SUMS.`)

function namedButMissing(name) {
  const urls = [...readFileSync(join(folder, name), 'utf8').matchAll(/^\s*-? ?url: (.+)$/gm)].map(([, url]) => url)
  return urls.filter((url) => !found.includes(url)).map((url) => `${name} names ${url}, which is missing`)
}

async function sha256(file) {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
