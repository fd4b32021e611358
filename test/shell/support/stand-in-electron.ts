import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPackage } from '@electron/asar'

/** Marks the place of the fuses in Electron's binary: version 1, nine fuses, all on. */
const FUSE_WIRE = Buffer.concat([
  Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.of(1, 9),
  Buffer.from('1'.repeat(9)),
])

/**
 * A folder that the builder takes for an Electron runtime for Linux: nothing in it runs, but the builder renames it,
 * flips its fuses and puts the app into it as it does with the real one.
 */
export async function makeStandInElectron(folder: string, version: string): Promise<void> {
  const app = join(folder, 'default_app')
  await mkdir(app, { recursive: true })
  await writeFile(join(app, 'package.json'), '{"name":"stand-in","main":"main.js"}')
  await writeFile(join(app, 'main.js'), '')
  await mkdir(join(folder, 'dist', 'resources'), { recursive: true })
  await createPackage(app, join(folder, 'dist', 'resources', 'default_app.asar'))
  await mkdir(join(folder, 'dist', 'locales'))
  await writeFile(join(folder, 'dist', 'locales', 'en-US.pak'), '')
  await writeFile(join(folder, 'dist', 'electron'), FUSE_WIRE, { mode: 0o755 })
  await writeFile(join(folder, 'dist', 'version'), version)
  for (const licence of ['LICENSE', 'LICENSES.chromium.html']) await writeFile(join(folder, 'dist', licence), '')
}
