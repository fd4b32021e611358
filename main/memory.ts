import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { renameFileNow } from '../server/lib/sync-folder.ts'

const bounds = z.object({ x: z.int(), y: z.int(), width: z.int().positive(), height: z.int().positive() })

const contents = z.object({
  window: z.object({ bounds, maximized: z.boolean() }).optional(),
  shownNotices: z.array(z.enum(['tray', 'vault'])).default([]),
})

export type WindowState = NonNullable<z.infer<typeof contents>['window']>
export type OneTimeNotice = z.infer<typeof contents>['shownNotices'][number]
export type Memory = ReturnType<typeof createMemory>

/**
 * Creates the shell's memory between starts. A file that cannot be read counts as empty, because
 * nothing in it is important.
 */
export function createMemory(path: string) {
  let current = read(path)

  function write(change: Partial<typeof current>): void {
    current = { ...current, ...change }
    try {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(`${path}.new`, JSON.stringify(current))
      renameFileNow(`${path}.new`, path)
    } catch {
      // A full disk must not prevent the start or the closing of the window. The values stay in
      // memory until Kurir quits.
    }
  }

  return {
    window: () => current.window,
    rememberWindow: (window: WindowState) => write({ window }),
    once(notice: OneTimeNotice, show: () => void): void {
      if (current.shownNotices.includes(notice)) return
      show()
      write({ shownNotices: [...current.shownNotices, notice] })
    },
  }
}

function read(path: string): z.infer<typeof contents> {
  try {
    return contents.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return { shownNotices: [] }
  }
}
