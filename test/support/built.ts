import { join } from 'node:path'
import { isBuilt } from '../../scripts/lib/built.mjs'

const server = isBuilt() ? 'dist/server' : 'server'
const ending = isBuilt() ? 'js' : 'ts'

/** Environment of test processes: the path of commands, and the cache of compiled code. */
export const SPARSE_ENV = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

/**
 * Returns the path of a program of `server/`: the built file if the build is up to date, because it
 * starts in half the time, otherwise the source.
 */
export const programFile = (name: 'cli' | 'composition/app' | 'main' | 'settings/config'): string =>
  join(import.meta.dirname, '../..', server, `${name}.${ending}`)
