import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { chmod, chown, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
const asRoot = process.getuid?.() === 0

/**
 * Returns the folder of PostgreSQL's programs, which Debian keeps outside of the PATH.
 * `POSTGRES_BIN` names the folder of another version. Undefined: not installed.
 */
export function findPostgres(): string | undefined {
  const { POSTGRES_BIN, PATH = '' } = process.env
  if (POSTGRES_BIN !== undefined) return POSTGRES_BIN
  const folders = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed()
  return [...folders, ...PATH.split(':')].find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')),
  )
}

/**
 * Returns true if a second server can follow the first one. Not every package contains the program
 * that copies it.
 */
export function canFollow(): boolean {
  const programs = findPostgres()
  return programs !== undefined && ['pg_basebackup', 'psql'].every((name) => existsSync(join(programs, name)))
}

export interface PostgresServer {
  /** Address of the first database. */
  url: string
  /** `fast` disconnects clients and shuts down; `immediate` is a crash. */
  stop(how: 'fast' | 'immediate'): Promise<void>
  start(): Promise<void>
  /** Starts a server that follows this one and is read-only until it is promoted. */
  follow(): Promise<Follower>
  close(): Promise<void>
}

export interface Follower {
  port: number
  promote(): Promise<void>
  close(): Promise<void>
}

export interface ServerOptions {
  /** Folder of the data; default: a temporary one. */
  folder?: string
  /** Folder of the write-ahead log, in files of one megabyte; default: with the data. */
  logFolder?: string
}

/**
 * Starts a server in a folder of its own. If the tests run as root, which PostgreSQL refuses, it
 * runs as the user `postgres`.
 */
export async function startPostgres(
  settings: Record<string, string> = {},
  { folder = mkdtempSync(join(tmpdir(), 'kurir-postgres-')), logFolder }: ServerOptions = {},
): Promise<PostgresServer> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error('PostgreSQL is not installed')
  if (asRoot) {
    const { stdout } = await run('id', ['-u', 'postgres'])
    await chown(folder, Number(stdout), -1)
    await chmod(folder, 0o755)
    // The parent folder is closed to other users, but `postgres` must pass through it.
    const above = dirname(folder)
    await chmod(above, ((await stat(above)).mode & 0o7777) | 0o011)
  }
  const data = join(folder, 'data')
  const port = await freePort()
  const program = (name: string, ...args: string[]) => {
    const command = [join(programs, name), ...args]
    // Set the working directory, because `postgres` may not enter the current one.
    return asRoot
      ? run('runuser', ['-u', 'postgres', '--', ...command], { cwd: folder })
      : run(command[0] ?? '', command.slice(1), { cwd: folder })
  }
  const all = {
    port: String(port),
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: "''",
    // `immediate` tests a crash, so no test needs to wait for the disk.
    fsync: 'off',
    max_connections: '200',
    ...settings,
  }
  const log = logFolder === undefined ? [] : ['-X', logFolder, '--wal-segsize=1']
  await program('initdb', '-D', data, '-A', 'trust', '-U', 'kurir', '--no-sync', '-E', 'UTF8', '--locale=C', ...log)
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`)
  const start = async () => {
    await program('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-o', options.join(' '), '-w', 'start')
  }
  const stop = async (how: 'fast' | 'immediate') => {
    await program('pg_ctl', '-D', data, '-m', how, '-w', 'stop')
  }
  await start()
  return {
    url: `postgresql://kurir@127.0.0.1:${port}/postgres`,
    start,
    stop,
    async follow() {
      const copy = join(folder, 'follower')
      const followerPort = await freePort()
      await program(
        'pg_basebackup',
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '-U',
        'kurir',
        '-D',
        copy,
        '-R',
        '-c',
        'fast',
      )
      const settingsOfCopy = Object.entries({ ...all, port: String(followerPort), synchronous_standby_names: "''" })
      const optionsOfCopy = settingsOfCopy.map(([name, value]) => `-c ${name}=${value}`).join(' ')
      await program('pg_ctl', '-D', copy, '-l', join(folder, 'follower.log'), '-o', optionsOfCopy, '-w', 'start')
      // From here on a commit is answered only when both servers have it.
      await program(
        'psql',
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '-U',
        'kurir',
        '-d',
        'postgres',
        '-c',
        "ALTER SYSTEM SET synchronous_standby_names = '*'",
        '-c',
        'SELECT pg_reload_conf()',
      )
      return {
        port: followerPort,
        promote: async () => void (await program('pg_ctl', '-D', copy, '-w', 'promote')),
        close: async () =>
          void (await program('pg_ctl', '-D', copy, '-m', 'immediate', '-w', 'stop').catch(() => undefined)),
      }
    },
    async close() {
      await stop('immediate').catch(() => undefined)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string
  }
}

/** Setup of the test project `postgres`: one server for all its files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  project.provide('postgres', server.url)
  return server.close
}
