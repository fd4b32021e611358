import { homedir } from 'node:os'
import { join } from 'node:path'
import { defaultHome, xdgFolder } from '../config.ts'

/** Data folders that a Kurir of this user may have: as configured, headless, or the desktop's. */
export function possibleHomes(env: NodeJS.ProcessEnv): string[] {
  if (env.KURIR_HOME) return [env.KURIR_HOME]
  const programs =
    process.platform === 'linux'
      ? (xdgFolder(env.XDG_CONFIG_HOME) ?? join(homedir(), '.config'))
      : join(defaultHome(env), '..')
  return [defaultHome(env), ...['Kurir', 'kurir'].map((name) => join(programs, name, 'data'))]
}
