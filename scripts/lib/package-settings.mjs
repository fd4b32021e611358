/** What a repository's secrets give to electron-builder. An empty one must be absent: it is taken for a certificate. */
const SIGNING = ['CSC_LINK', 'CSC_KEY_PASSWORD', 'APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID']

/**
 * Where this copy is published: given as KURIR_HOMEPAGE, or the repository that the release workflow runs in.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} undefined for a build that nobody publishes
 */
export function homepage({ KURIR_HOMEPAGE, GITHUB_SERVER_URL, GITHUB_REPOSITORY }) {
  if (KURIR_HOMEPAGE) return KURIR_HOMEPAGE
  return GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : undefined
}

/**
 * How electron-builder is called. Its configuration is electron-builder.yml; here is only what depends on where the
 * build runs. Nothing is ever published from here: the release workflow uploads in a job of its own.
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
  // A program that installs updates by itself must be able to check who made them: only a signed one is given a place
  // to look for them. Linux programs are not signed.
  const isSigned = Boolean(env.CSC_LINK) && (platform === 'win32' || platform === 'darwin')
  if (isSigned && owner && repository) {
    args.push('-c.publish.provider=github', `-c.publish.owner=${owner}`, `-c.publish.repo=${repository}`)
  }
  const kept = Object.entries(env).filter(([name, value]) => !SIGNING.includes(name) || value !== '')
  return { args, env: Object.fromEntries(kept) }
}
