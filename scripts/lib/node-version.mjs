// Imports nothing and is written for any Node: an older one must come as far as its sentence.

/**
 * Whether a Node runs Kurir: 22.19 and newer, 24 and newer. The database's native module needs N-API 10 and crashes an
 * older Node instead of refusing it. `engines` in package.json and server/process/first.ts say the same.
 * @param {string} version as in `process.versions.node`
 */
export function isNodeNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major === 22 ? minor >= 19 : major >= 24
}

/**
 * True if a Node can install the newer one for Kurir and the tools that build it. Under an older
 * Node npm leaves out the bundler's binary without a word: that asks for ^20.19.0 || >=22.12.0.
 * @param {string} version as in `process.versions.node`
 */
export function canInstall(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major === 20) return minor >= 19
  return major === 22 ? minor >= 12 : major >= 23
}

/** Ends the script with one sentence for a person; 78 as in server/process/first.ts. */
export function stopForOldNode() {
  console.error(
    `Kurir needs a newer Node than ${process.version}: install Node 24 LTS from https://nodejs.org, then start again.`,
  )
  process.exit(78)
}
