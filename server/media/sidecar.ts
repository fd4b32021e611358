import { open, readFile, rename, stat } from 'node:fs/promises'
import { z } from 'zod'
import type { MediaFile } from './fetch.ts'

const sidecar = z.object({
  url: z.string(),
  kind: z.enum(['image', 'video', 'audio', 'document']),
  mimetype: z.string(),
  fileName: z.string(),
  size: z.number(),
  sha256: z.string(),
})

/**
 * Writes down what a complete file is. This is written after the data is on disk and appears in one
 * step, so a file with a sidecar is a whole one, whenever the power went.
 */
export async function writeSidecar({ path, ...about }: MediaFile, url: string): Promise<void> {
  const draft = `${path}.draft`
  const file = await open(draft, 'w')
  try {
    await file.writeFile(JSON.stringify({ url, ...about }))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, `${path}.json`)
}

/** The complete file at `path`, if it is there and came from `url`; otherwise null. */
export async function readSidecar(path: string, url: string): Promise<MediaFile | null> {
  try {
    const { url: source, ...about } = sidecar.parse(JSON.parse(await readFile(`${path}.json`, 'utf8')))
    const { size } = await stat(path)
    return source === url && size === about.size ? { path, ...about } : null
  } catch (error) {
    // Missing or damaged: it will be downloaded again, and then replaced.
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (missing || error instanceof SyntaxError || error instanceof z.ZodError) return null
    throw error
  }
}
