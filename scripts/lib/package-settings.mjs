/**
 * Variables that come from a repository's secrets. electron-builder takes an empty one for a
 * certificate, so these are removed if empty.
 */
const SIGNING = ['CSC_LINK', 'CSC_KEY_PASSWORD', 'APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID']

/**
 * Returns the address where this copy is published: KURIR_HOMEPAGE, or the repository of the
 * release workflow.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} undefined for a build that is not published
 */
export function homepage({ KURIR_HOMEPAGE, GITHUB_SERVER_URL, GITHUB_REPOSITORY }) {
  if (KURIR_HOMEPAGE) return KURIR_HOMEPAGE
  return GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : undefined
}

/**
 * Returns how to call electron-builder. Only settings that depend on the build machine are here;
 * all others are in electron-builder.yml. The build never publishes: the release workflow uploads
 * in a separate job.
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} platform
 * @returns {{ args: string[], env: NodeJS.ProcessEnv }}
 */
export function packageSettings(env, platform) {
  const args = ['--publish', 'never']
  const page = homepage(env)
  if (page !== undefined) args.push(`-c.extraMetadata.homepage=${page}`)
  const [owner, repository] = env.GITHUB_REPOSITORY?.split('/') ?? []
  if (owner && repository) args.push(`-c.linux.maintainer=${owner} <${owner}@users.noreply.github.com>`)
  // A program that updates itself must be able to verify who made the update, so only a signed one
  // gets an address for updates. Linux programs are not signed.
  const isSigned = Boolean(env.CSC_LINK) && (platform === 'win32' || platform === 'darwin')
  if (isSigned && owner && repository) {
    args.push('-c.publish.provider=github', `-c.publish.owner=${owner}`, `-c.publish.repo=${repository}`)
  }
  const kept = Object.entries(env).filter(([name, value]) => !SIGNING.includes(name) || value !== '')
  return { args, env: Object.fromEntries(kept) }
}
