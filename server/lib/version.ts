import { readFileSync } from 'node:fs'

/** package.json lies above the sources and above the built files at different depths. */
function readVersion(): string {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<
        string,
        string
      >
      if (name === 'kurir' && version !== undefined) return version
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new Error('package.json of Kurir is missing')
}

export const VERSION = readVersion()
