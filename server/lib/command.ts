import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Command that a person types in Kurir's folder: `kurir` alone is in the PATH only where somebody
 * has put it. Without the folder's own path, which may name a user: callers read it too.
 */
export function commandIn(folder: string): string {
  if (existsSync(join(folder, 'package-lock.json'))) return 'npx kurir'
  // The archive for servers, and the image.
  return existsSync(join(folder, 'packaging', 'kurir')) ? 'packaging/kurir' : 'kurir'
}

/** The sources lie two folders below it, the built files three. */
const above = join(import.meta.dirname, '..', '..')
export const COMMAND = commandIn(existsSync(join(above, 'package.json')) ? above : join(above, '..'))
