// Writes compressed copies beside the text files of the pages, so that the server need not compress
// them per request.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

// Below this size the headers outweigh the savings.
const SMALLEST = 1024

/** @param {string} folder */
export function compressPages(folder) {
  for (const name of globSync('**/*.{js,css,html,svg}', { cwd: folder })) {
    const path = join(folder, name)
    const bytes = readFileSync(path)
    if (bytes.length < SMALLEST) continue
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
