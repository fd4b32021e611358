// Imports nothing and uses only old syntax, so that an older Node gets as far as the message.

/**
 * Returns true if Kurir can run on this Node: 22.19 or newer, or 24 or newer. The database's native
 * module needs N-API 10 and crashes an older Node instead of refusing it. `engines` in package.json
 * and server/process/first.ts state the same versions.
 * @param {string} version as in `process.versions.node`
 */
export function isNodeNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major === 22 ? minor >= 19 : major >= 24
}

/**
 * Returns true if this Node can install Kurir's bundled Node and the build tools. The bundler asks
 * for ^20.19.0 || >=22.12.0; on an older Node npm silently skips its binary.
 * @param {string} version as in `process.versions.node`
 */
export function canInstall(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major === 20) return minor >= 19
  return major === 22 ? minor >= 12 : major >= 23
}

/** Exits with a message; code 78 as in server/process/first.ts. */
export function stopForOldNode() {
  console.error(
    `Kurir needs a newer Node than ${process.version}: install Node 24 LTS from https://nodejs.org, then start again.`,
  )
  process.exit(78)
}
