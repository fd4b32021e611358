import { extname } from 'node:path'

/**
 * Address of a file beside another one, for a thread that runs it: the compiler renames imports,
 * but not the names of files.
 * @param of the module that asks, its `import.meta.url`
 * @param name without its ending
 */
export const beside = (of: string, name: string): URL => new URL(`./${name}${extname(of)}`, of)
