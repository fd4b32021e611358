import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/**
 * Returns the command that a person types in Kurir's folder, because `kurir` alone is in the PATH
 * only if somebody put it there. Leaves out the folder's path, which may contain a user's name,
 * because callers read the command too.
 */
export function commandIn(folder: string): string {
  if (existsSync(join(folder, 'package-lock.json'))) return 'npx kurir'
  // The archive for servers and the container image have packaging/kurir.
  return existsSync(join(folder, 'packaging', 'kurir')) ? 'packaging/kurir' : 'kurir'
}

/** Kurir's folder: two folders above the sources, three above the built files. */
const above = join(import.meta.dirname, '..', '..')
const folder = existsSync(join(above, 'package.json')) ? above : join(above, '..')

export const COMMAND = commandIn(folder)

const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
export const VERSION = version

/**
 * Returns the URL of the file `name` next to a module, for a worker thread. The compiler renames
 * imports (.ts to .js) but not file names in strings, so the ending is taken from the module.
 * @param of `import.meta.url` of the module
 * @param name without its ending
 */
export const beside = (of: string, name: string): URL => new URL(`./${name}${extname(of)}`, of)
