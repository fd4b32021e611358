import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The key that all nodes have for the secrets. */
export function keyFileIn(folder: string): string {
  const file = join(folder, 'vault.key')
  writeFileSync(file, '7e'.repeat(32))
  return file
}
