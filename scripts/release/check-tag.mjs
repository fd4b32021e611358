// Usage: node scripts/release/check-tag.mjs v1.2.3, before a release is built. The tag must match
// package.json, and CHANGELOG.md must have a section for it. Prints that section as the release's
// text.
import { changesOf, packageVersion } from '../lib/release-files.mjs'

const [tag = ''] = process.argv.slice(2)
const version = packageVersion()
const changes = changesOf(version)
if (tag !== `v${version}`)
  stop(`The tag is ${tag}, but package.json says ${version}: make the tag v${version}, or change the version.`)
if (!changes) stop(`CHANGELOG.md has no section [${version}]: write what changed.`)
console.log(changes)

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
