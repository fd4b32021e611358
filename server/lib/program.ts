import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/**
 * Command that a person types in Kurir's folder: `kurir` alone is in the PATH only where somebody
 * has put it. Without the folder's own path, which may name a user: callers read it too.
 */
export function commandIn(folder: string): string {
  if (existsSync(join(folder, 'package-lock.json'))) return 'npx kurir'
  // The archive for servers, and the image.
  return existsSync(join(folder, 'packaging', 'kurir')) ? 'packaging/kurir' : 'kurir'
}

/** Kurir's folder: the sources lie two folders below it, the built files three. */
const above = join(import.meta.dirname, '..', '..')
const folder = existsSync(join(above, 'package.json')) ? above : join(above, '..')

export const COMMAND = commandIn(folder)

const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
export const VERSION = version

/**
 * Address of a file beside another one, for a thread that runs it: the compiler renames imports,
 * but not the names of files.
 * @param of the module that asks, its `import.meta.url`
 * @param name without its ending
 */
export const beside = (of: string, name: string): URL => new URL(`./${name}${extname(of)}`, of)
