import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres } from '../support/postgres-server.ts'

export interface SmallDisk {
  folder: string
  /** Leaves no room for anything else. */
  fill(): void
  /** There is room again. */
  empty(): void
  remove(): void
}

/** A disk of its own for a database server; undefined where this user may not mount one. */
export function mountSmallDisk(bytes: number): SmallDisk | undefined {
  if (findPostgres() === undefined || process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'kurir-small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
  chownSync(folder, Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })), -1)
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      for (let size = 1024 * 1024; size >= 4096; ) {
        try {
          writeFileSync(filler, Buffer.alloc(size), { flag: 'a' })
        } catch {
          size /= 2
        }
      }
    },
    empty: () => rmSync(filler),
    remove() {
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true })
    },
  }
}
