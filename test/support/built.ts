import { join } from 'node:path'
import { isBuilt } from '../../scripts/lib/built.mjs'

const server = isBuilt() ? 'dist/server' : 'server'
const ending = isBuilt() ? 'js' : 'ts'

/**
 * The environment of processes of tests: the places of commands, and of the code that an earlier
 * one has compiled.
 */
export const SPARSE_ENV = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

/**
 * A file of `server/` to start as a process: as it ships where the build is up to date, which
 * starts in half the time; otherwise the source.
 */
export const programFile = (name: 'cli' | 'composition/app' | 'main' | 'settings/config'): string =>
  join(import.meta.dirname, '../..', server, `${name}.${ending}`)
